// The six signals of a confidence, wherever they are shown.
import { words } from "./words";

export const signalsWords = words(
  {
    signals: "Six signals",
    signal: "Signal",
    bar: "Bar",
    value: "Value",
    weight: "Weight",
    overall: "Overall",
    absent: "absent",
    model_logprobs: "Model's own certainty",
    token_probability: "Probability of the words",
    semantic_consistency: "Consistency of meaning",
    fact_verification: "Facts verified",
    coherence: "Coherence",
    knowledge_grounding: "Grounded in sources",
  },
  {
    signals: "六个信号",
    signal: "信号",
    bar: "条形图",
    value: "数值",
    weight: "权重",
    overall: "总体",
    absent: "缺失",
    model_logprobs: "模型自身的确定性",
    token_probability: "词语概率",
    semantic_consistency: "语义一致性",
    fact_verification: "事实核验",
    coherence: "连贯性",
    knowledge_grounding: "来源支持",
  },
);
