// Answers beside the documents they were meant to be taken from.
import { example, type Example } from "./example";

export const ANSWER: readonly Example[] = [
  example("en", "One sentence is invented", "The documents name opening hours and a price. The answer gets one right and makes up the other.", {
    question: "When is the museum open, and what does it cost?",
    passages: "The museum is open from 10:00 to 18:00 and closed on Mondays.\n\nAdmission costs 12 euros. Children under 12 pay nothing.",
    response: "The museum is open from 10:00 to 18:00. Admission costs 45 euros and includes a guided tour by boat. It is closed on Mondays.",
    samples: ["Admission costs 20 euros.", "It is open from 10:00 to 18:00. You pay 30 euros, with lunch.", "The museum is free."],
    logprobs: [-0.1, -0.2, -1.6, -2.9, -0.1],
  }),
  example("en", "Everything is in the documents", "The same question, answered from the documents alone.", {
    question: "When is the museum open, and what does it cost?",
    passages: "The museum is open from 10:00 to 18:00 and closed on Mondays.\n\nAdmission costs 12 euros. Children under 12 pay nothing.",
    response: "The museum is open from 10:00 to 18:00. It is closed on Mondays. Admission costs 12 euros.",
  }),
  example("en", "The model is guessing", "Asked again, the model answers differently each time, its own probabilities are low, and a look-up disputes it.", {
    question: "How long is the harbour bridge?",
    passages: "The harbour bridge opened in 1932 and carries eight lanes.",
    response: "The harbour bridge is 2,900 metres long.",
    samples: ["The harbour bridge is 1,149 metres long.", "It measures about 503 metres.", "The bridge has a length of 4 kilometres."],
    logprobs: [-2.1, -3.4, -4.8, -1.9, -5.2],
    fact_check: { verified_count: 0, disputed_count: 2 },
  }),
  example("zh", "有一句是编造的", "资料里有开放时间和票价。回答说对了前者，编造了后者。", {
    question: "博物馆几点开放？门票多少钱？",
    passages: "博物馆开放时间为10:00至18:00，周一闭馆。\n\n门票12元，12岁以下儿童免费。",
    response: "博物馆开放时间为10:00至18:00。门票450元，含游船导览。周一闭馆。",
    samples: ["门票20元。", "10:00开门，票价300元，含午餐。", "免费参观。"],
    logprobs: [-0.1, -0.2, -1.6, -2.9, -0.1],
  }),
  example("zh", "全部有据可查", "同样的问题，只根据资料回答。", {
    question: "博物馆几点开放？门票多少钱？",
    passages: "博物馆开放时间为10:00至18:00，周一闭馆。\n\n门票12元，12岁以下儿童免费。",
    response: "博物馆开放时间为10:00至18:00。周一闭馆。门票12元。",
  }),
];
