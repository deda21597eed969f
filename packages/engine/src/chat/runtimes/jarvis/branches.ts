import type { PlanNode, TaskGraph } from '@panoptes/schema'

/** The result of one part of a plan. */
export interface Part {
  readonly node: PlanNode
  readonly text: string
  /** Why the result is missing or incomplete. */
  readonly problem: string | null
}

/** The parallel steps, and the last step if it is the answer itself. */
export interface Branches {
  readonly nodes: readonly PlanNode[]
  readonly last: PlanNode | null
  /** The dependencies of each step, by its id. */
  readonly needs: ReadonlyMap<string, readonly string[]>
}

const MOST_NODES = 16
const AT_ONCE = 4

/** Returns the branches of a parallel plan; null if it is not parallel or has a cycle. */
export function findBranches({ decision, nodes, edges }: TaskGraph): Branches | null {
  if (decision !== 'parallel' || nodes.length < 2 || nodes.length > MOST_NODES) return null
  const ids = new Set(nodes.map(({ id }) => id))
  if (ids.size !== nodes.length || edges.some(({ from, to }) => !ids.has(from) || !ids.has(to))) return null
  const needs = new Map(
    nodes.map(({ id }) => [id, edges.filter(({ to }) => to === id).map(({ from }) => from)]),
  )
  if (isCircular(needs)) return null
  const sinks = nodes.filter(({ id }) => edges.every(({ from }) => from !== id))
  const last = sinks.length === 1 ? (sinks[0] ?? null) : null
  return { nodes: nodes.filter((node) => node !== last), last, needs }
}

function isCircular(needs: ReadonlyMap<string, readonly string[]>): boolean {
  const left = new Map(needs)
  for (;;) {
    const free = [...left].filter(([, of]) => of.every((id) => !left.has(id)))
    if (free.length === 0) return left.size > 0
    for (const [id] of free) left.delete(id)
  }
}

/**
 * Runs each branch as soon as its dependencies are done, a few at once. A failed branch does not
 * affect others.
 */
export async function runBranches(
  { nodes, needs }: Branches,
  work: (node: PlanNode, before: readonly Part[]) => Promise<Part>,
): Promise<readonly Part[]> {
  const done = new Map<string, Part>()
  const waiting = new Set(nodes)
  const running = new Set<Promise<void>>()
  while (waiting.size > 0 || running.size > 0) {
    for (const node of waiting) {
      const before = (needs.get(node.id) ?? []).map((id) => done.get(id))
      if (running.size >= AT_ONCE || before.includes(undefined)) continue
      waiting.delete(node)
      const task: Promise<void> = work(
        node,
        before.filter((part) => part !== undefined),
      ).then((part) => {
        done.set(node.id, part)
        running.delete(task)
      })
      running.add(task)
    }
    if (running.size === 0) break
    await Promise.race(running)
  }
  return nodes.flatMap(({ id }) => done.get(id) ?? [])
}
