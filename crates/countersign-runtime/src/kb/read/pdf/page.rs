//! The instructions of a page: those that show text, and those that move the place where it is shown.

use super::font::{Font, MAX_STREAM};
use super::layout::{Layout, Matrix};
use lopdf::content::{Content, Operation};
use lopdf::{Document, Object, ObjectId};
use std::collections::BTreeMap;
use std::time::Instant;

/// The text that a page shows; none where it cannot be read.
pub(super) fn text(pdf: &Document, page: ObjectId, end: Instant) -> Option<String> {
    let fonts = pdf.get_page_fonts(page).ok()?;
    let fonts = fonts.into_iter().filter_map(|(name, font)| Some((name, Font::of(pdf, font)?))).collect();
    let content = pdf.get_page_content_with_limit(page, MAX_STREAM).ok()?;
    let content = Content::decode(&content).ok()?;
    let mut screen = Screen::new(fonts);
    for (count, operation) in content.operations.iter().enumerate() {
        // A page of a few millions of instructions must not outlive the deadline.
        let late = count % 4096 == 4095 && Instant::now() >= end;
        if late || screen.layout.len() > MAX_PAGE_TEXT {
            break;
        }
        screen.run(operation);
    }
    Some(screen.layout.finish())
}

struct Screen<'p> {
    fonts: BTreeMap<Vec<u8>, Font<'p>>,
    layout: Layout,
    state: State,
    kept: Vec<State>,
    /// Where text goes, and where its line began.
    at: Matrix,
    line: Matrix,
}

/// What `q` keeps and `Q` brings back.
#[derive(Clone)]
struct State {
    page: Matrix,
    font: Vec<u8>,
    size: f32,
    leading: f32,
}

impl<'p> Screen<'p> {
    fn new(fonts: BTreeMap<Vec<u8>, Font<'p>>) -> Self {
        let state = State { page: Matrix::ONE, font: Vec::new(), size: 1.0, leading: 0.0 };
        Self { fonts, layout: Layout::default(), state, kept: Vec::new(), at: Matrix::ONE, line: Matrix::ONE }
    }

    fn run(&mut self, Operation { operator, operands }: &Operation) {
        let number = |at: usize| operands.get(at).and_then(|o| o.as_float().ok()).unwrap_or(0.0);
        match operator.as_str() {
            "q" if self.kept.len() < MAX_KEPT => self.kept.push(self.state.clone()),
            "Q" => self.state = self.kept.pop().unwrap_or_else(|| self.state.clone()),
            "cm" => self.state.page = matrix(operands).then(self.state.page),
            "BT" => (self.at, self.line) = (Matrix::ONE, Matrix::ONE),
            "Tf" => {
                self.state.font = operands.first().and_then(|o| o.as_name().ok()).unwrap_or_default().to_vec();
                self.state.size = number(1);
            }
            "TL" => self.state.leading = number(0),
            "Td" => self.step(number(0), number(1)),
            "TD" => {
                self.state.leading = -number(1);
                self.step(number(0), number(1));
            }
            "Tm" => (self.at, self.line) = (matrix(operands), matrix(operands)),
            "T*" => self.step(0.0, -self.state.leading),
            "Tj" => self.show(operands.first()),
            "'" => {
                self.step(0.0, -self.state.leading);
                self.show(operands.first());
            }
            "\"" => {
                self.step(0.0, -self.state.leading);
                self.show(operands.get(2));
            }
            "TJ" => self.show_spaced(operands.first()),
            _ => {}
        }
    }

    fn step(&mut self, x: f32, y: f32) {
        self.line = Matrix::shift(x, y).then(self.line);
        self.at = self.line;
    }

    fn show(&mut self, shown: Option<&Object>) {
        let Some(bytes) = shown.and_then(|o| o.as_str().ok()) else { return };
        let Some(font) = self.fonts.get(&self.state.font) else { return };
        let text = font.read(bytes);
        let width = font.width(bytes, &text) * self.state.size;
        let place = self.at.then(self.state.page);
        let scale = place.scale();
        self.layout.show(&text, place, width * scale, self.state.size.abs() * scale);
        self.at = Matrix::shift(width, 0.0).then(self.at);
    }

    /// Strings with steps between them, in thousandths of the size; a wide step is a blank.
    fn show_spaced(&mut self, shown: Option<&Object>) {
        for part in shown.and_then(|o| o.as_array().ok()).into_iter().flatten() {
            match part.as_float() {
                Ok(step) => self.at = Matrix::shift(-step / 1000.0 * self.state.size, 0.0).then(self.at),
                Err(_) => self.show(Some(part)),
            }
        }
    }
}

fn matrix(operands: &[Object]) -> Matrix {
    let number = |at: usize| operands.get(at).and_then(|o| o.as_float().ok()).unwrap_or(0.0);
    Matrix([number(0), number(1), number(2), number(3), number(4), number(5)])
}

const MAX_PAGE_TEXT: usize = 4 << 20;
const MAX_KEPT: usize = 256;
