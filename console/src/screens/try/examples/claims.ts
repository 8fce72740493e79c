// Texts that state facts which nobody has verified.
import { example, type Example } from "./example";

export const CLAIMS: readonly Example[] = [
  example("en", "A market report", "An agent wrote this summary. It sounds sure of every figure.", {
    text: "The market for e-bikes grew by 18.5% to $54.2 billion in Q3 2025, according to the Mobility Institute. About 40,000 bikes were sold each day, more than three times as many as in 2019. Details: https://example.com/report",
  }),
  example("en", "A software release", "A support agent explains a release.", {
    text: "Version 4.2 was released on 3 March 2026 and is twice as fast as 4.1. 92% of users have already switched.",
  }),
  example("en", "Nothing to verify", "A friendly sentence states no fact: it stays unmarked.", { text: "Happy to help! Tell me which report you mean, and I will look into it." }),
  example("zh", "市场报告", "一个智能体写的摘要，每个数字都说得很肯定。", {
    text: "根据出行研究院2025年报告，第三季度电动自行车市场增长了18.5%，规模达到3.4亿元，销量是2019年的三倍。每天售出约4万辆。详见 https://example.com/report",
  }),
  example("zh", "软件发布", "客服智能体介绍新版本。", { text: "4.2版于2026年3月3日发布，速度是上一版的两倍，92%的用户已经升级。" }),
  example("zh", "没有事实声明", "一句客气话不陈述事实，因此没有标记。", { text: "很高兴为您服务！请告诉我您指的是哪份报告，我来看看。" }),
];
