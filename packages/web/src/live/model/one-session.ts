import type { Graph, GraphSession } from './graph.ts'

/** One session of a graph, for screens without room for more. */
export interface OneSession {
  readonly graph: Graph
  /** The index of the session, from 0. */
  readonly index: number
  readonly of: number
}

/** The chosen session, else the one that needs someone, else the first. */
export function oneSession(
  graph: Graph,
  chosen: string | null,
  say: (count: string, others: number) => string,
): OneSession {
  const { sessions } = graph
  const index = Math.max(
    0,
    [
      sessions.findIndex((one) => one.key === chosen),
      sessions.findIndex((one) => one.waiting > 0),
      sessions.findIndex((one) => one.stuck > 0),
    ].find((at) => at >= 0) ?? 0,
  )
  const session = sessions[index]
  if (!session) return { graph, index: 0, of: 0 }
  const others = sessions.length - 1
  const alone: GraphSession =
    others === 0 ? session : { ...session, about: null, count: say(session.count, others) }
  return {
    graph: { sessions: [alone], nodes: session.nodes.length, alive: session.alive },
    index,
    of: sessions.length,
  }
}
