import type { LayoutSession } from '../layout/layout.ts'
import type { Graph } from '../model/graph.ts'

export const layoutOf = (graph: Graph): readonly LayoutSession[] =>
  graph.sessions.map((session) => ({
    key: session.key,
    nodes: session.nodes.map(({ key, parent, depth }) => ({ key, parent, depth })),
    pills: session.tools.length + (session.moreTools ? 1 : 0),
  }))

/** Two graphs of one signature lie the same way: only what is drawn of them differs. */
export function signatureOf(sessions: readonly LayoutSession[]): string {
  const parts: string[] = []
  for (const session of sessions) {
    parts.push(session.key, String(session.pills))
    for (const node of session.nodes) parts.push(node.key, String(node.parent))
  }
  return parts.join(' ')
}
