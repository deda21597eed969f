import type { Graph } from '../model/graph.ts'

export type Direction = 'up' | 'down' | 'left' | 'right'

/** Moves along the tree: up to the parent, down to the first child, sideways to siblings or the next session. */
export function moveSelection(graph: Graph, from: string | null, way: Direction): string | null {
  const first = graph.sessions[0]?.nodes[0]?.key ?? null
  if (from === null) return first
  const at = graph.sessions.findIndex((session) => session.nodes.some((node) => node.key === from))
  const session = graph.sessions[at]
  if (!session) return first
  const index = session.nodes.findIndex((node) => node.key === from)
  const node = session.nodes[index]
  if (!node) return first
  if (way === 'up') return session.nodes[node.parent]?.key ?? from
  if (way === 'down') return session.nodes.find((one) => one.parent === index)?.key ?? from
  const by = way === 'left' ? -1 : 1
  if (node.parent < 0) {
    const next = (at + by + graph.sessions.length) % graph.sessions.length
    return graph.sessions[next]?.nodes[0]?.key ?? from
  }
  const siblings = session.nodes.filter((one) => one.parent === node.parent)
  const place = siblings.findIndex((one) => one.key === from)
  return siblings[(place + by + siblings.length) % siblings.length]?.key ?? from
}
