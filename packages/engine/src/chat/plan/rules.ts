import type { PlanNode, TaskGraph } from '@panoptes/schema'
import { type Edge, LIMITS, levelsOf } from './graph.ts'
import { type Step, stepsIn } from './steps.ts'
import { worthOf } from './worth.ts'

/** Seconds of work, by what a step asks for. */
const WORK: readonly (readonly [RegExp, number])[] = [
  [/\b(?:implement|build|refactor|rewrite|migrate|design|create)\b|实现|重构|编写/iu, 60],
  [/\b(?:fix|debug|write|change|convert|translate|document|draft)\b|修复|翻译|撰写/iu, 40],
  [/\b(?:research|compare|investigate|review|analy[sz]e|evaluate|study)\b|研究|比较|分析|评审/iu, 40],
  [/\b(?:run|test|install|deploy|measure|verify|validate)\b|运行|测试|验证/iu, 30],
  [/\b(?:read|find|search|list|look|show|open|check|count)\b|查找|阅读|列出/iu, 12],
]
const USUAL = 15

/** What is to be done, by rules alone: one after the other unless the message itself says otherwise. */
export function planOf(message: string): TaskGraph {
  const all = stepsIn(message)
  const steps = all.length === 0 ? [{ text: message.trim(), joins: 'next' as const }] : all
  const kept = steps.slice(0, LIMITS.nodes)
  const nodes = kept.map(nodeOf)
  const edges = bounded(nodes, edgesOf(kept, nodes))
  const { worthiness, decision, reasons } = worthOf({ nodes, edges })
  const left = steps.length - kept.length
  return {
    decision,
    worthiness,
    reasons: [...reasons, ...(left > 0 ? [`${left} more steps are left to whoever answers.`] : [])],
    nodes,
    edges: [...edges],
  }
}

const nodeOf = ({ text }: Step, at: number): PlanNode => ({
  id: `t${at + 1}`,
  label: text.length > LIMITS.label ? `${text.slice(0, LIMITS.label - 1).toWellFormed()}…` : text,
  work:
    (WORK.find(([words]) => words.test(text))?.[1] ?? USUAL) + Math.min(20, Math.floor(text.length / 100)),
})

/** Beside its neighbours, after the one before, or after all that nothing came after yet. */
function edgesOf(steps: readonly Step[], nodes: readonly PlanNode[]): readonly Edge[] {
  const edges: Edge[] = []
  const idOf = (at: number) => nodes[at]?.id ?? ''
  /** What stands side by side now, and what it all needs. */
  let group: number[] = []
  let before: number[] = []
  for (const [at, { joins }] of steps.entries()) {
    if (at > 0 && joins !== 'list') {
      before = group
      group = []
    }
    for (const from of before) edges.push({ from: idOf(from), to: idOf(at) })
    group.push(at)
  }
  return edges
}

/** No more side by side, and no deeper, than is allowed: what is too wide waits, what is too deep is one step with the last. */
function bounded(nodes: PlanNode[], edges: readonly Edge[]): readonly Edge[] {
  let levels = levelsOf({ nodes, edges }) ?? new Map<string, number>()
  const added: Edge[] = [...edges]
  for (let level = 0; level < nodes.length; level += 1) {
    const here = nodes.filter(({ id }) => levels.get(id) === level)
    for (const [at, late] of here.slice(LIMITS.width).entries())
      added.push({ from: here[at % LIMITS.width]?.id ?? '', to: late.id })
    if (here.length > LIMITS.width) levels = levelsOf({ nodes, edges: added }) ?? levels
  }
  const isDeep = ({ id }: PlanNode) => (levels.get(id) ?? 0) >= LIMITS.depth
  const deep = nodes.filter(isDeep)
  if (deep.length === 0) return unique(added)
  const at = nodes.findLastIndex((node) => !isDeep(node))
  const last = nodes[at]
  if (last === undefined) return unique(added)
  nodes[at] = {
    ...last,
    label: `${last.label.slice(0, 80)} … and ${deep.length} more`,
    work: last.work + deep.reduce((sum, { work }) => sum + work, 0),
  }
  const gone = new Set(deep.map(({ id }) => id))
  for (const node of deep) nodes.splice(nodes.indexOf(node), 1)
  return unique(added.filter(({ from, to }) => !gone.has(from) && !gone.has(to)))
}

const unique = (edges: readonly Edge[]): readonly Edge[] => [
  ...new Map(edges.map((edge) => [`${edge.from}\n${edge.to}`, edge])).values(),
]
