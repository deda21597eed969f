import type { Agent } from '@panoptes/schema'
import { fitColumns } from '../../terminal/column-widths.ts'
import { columns } from '../../terminal/format.ts'
import type { Paint } from '../../terminal/paint.ts'
import {
  agentName,
  errorsText,
  nowText,
  oneLine,
  paintState,
  stateText,
  timeText,
  toolsText,
} from './format.ts'

/** The agents of one session, in the order of its tree. */
export interface SessionTree {
  readonly source: string
  readonly session: string
  readonly lastAt: number
  readonly alive: boolean
  readonly rows: readonly { readonly agent: Agent; readonly branch: string }[]
}

const ALIVE: ReadonlySet<string> = new Set(['working', 'waiting', 'stuck'])

/** Sorts sessions with running agents first, then by age. */
export function sessionTrees(agents: readonly Agent[]): readonly SessionTree[] {
  const sessions = Map.groupBy(agents, ({ source, session_id }) => `${source}\u0000${session_id}`)
  return [...sessions.values()]
    .map(buildTree)
    .sort((a, b) => Number(b.alive) - Number(a.alive) || b.lastAt - a.lastAt)
}

function buildTree(agents: readonly Agent[]): SessionTree {
  const ids = new Set(agents.map(({ id }) => id))
  const root = ids.has('main') ? 'main' : null
  const findParent = ({ id, parent_id }: Agent): string | null => {
    if (id === root) return null
    return parent_id !== null && parent_id !== id && ids.has(parent_id) ? parent_id : root
  }
  const children = Map.groupBy(agents, findParent)
  const rows: { agent: Agent; branch: string }[] = []
  const placed = new Set<string>()
  const place = (parent: string | null, before: string): void => {
    const here = (children.get(parent) ?? []).toSorted((a, b) => a.started_at - b.started_at)
    for (const [index, agent] of here.entries()) {
      if (placed.has(agent.id)) continue
      placed.add(agent.id)
      const last = index === here.length - 1
      rows.push({ agent, branch: parent === null ? '' : `${before}${last ? '└─ ' : '├─ '}` })
      place(agent.id, parent === null ? '' : `${before}${last ? '   ' : '│  '}`)
    }
  }
  place(null, '')
  // Two agents that name each other as their parent have no root. They are shown anyway.
  for (const agent of agents) if (!placed.has(agent.id)) rows.push({ agent, branch: '? ' })
  const [first] = agents
  return {
    source: first?.source ?? '',
    session: first?.session_id ?? '',
    lastAt: Math.max(...agents.map(({ last_at }) => last_at)),
    alive: agents.some(({ state }) => ALIVE.has(state)),
    rows,
  }
}

const COLUMN = { name: 0, model: 2, tools: 3, time: 5, now: 6 }
/** Narrow terminals drop usage columns first, because the name is more useful. */
const TEXT = { [COLUMN.name]: 18, [COLUMN.model]: 8, [COLUMN.tools]: 8, [COLUMN.now]: 8 }

/** Renders the trees. The state is never cut, however narrow the terminal is. */
export function treeLines(
  trees: readonly SessionTree[],
  paint: Paint,
  now: number,
  width?: number,
): readonly string[] {
  return trees.flatMap(({ source, session, rows }, index) => {
    const cells = rows.map(({ agent, branch }) => [
      `${branch}${oneLine(agentName(agent), 40)}`,
      stateText(agent),
      oneLine(agent.model ?? '–', 24),
      toolsText(agent),
      errorsText(agent),
      timeText(agent, now),
      nowText(agent, now),
    ])
    const fitting = { width, indent: 2, text: TEXT, drop: [COLUMN.model, COLUMN.tools, COLUMN.time] }
    const lines = columns(fitColumns(cells, fitting)).map((line, at) => {
      const agent = rows[at]?.agent
      return agent ? line.replace(stateText(agent), (text) => paintState(paint, agent.state, text)) : line
    })
    return [
      ...(index > 0 ? [''] : []),
      paint.bold(`${oneLine(source)} · session ${oneLine(session)}`),
      ...lines,
    ]
  })
}
