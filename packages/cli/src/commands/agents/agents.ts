import { type Agent, agentState, check } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { type Access, withLedger } from '../../daemon/access.ts'
import { EXIT } from '../../exit-codes.ts'
import { CommandFailure, orFail } from '../../failure.ts'
import { count, counted } from '../../terminal/words.ts'
import { sessionTrees, treeLines } from './tree.ts'
import { oneLine } from './words.ts'

export interface AgentOptions {
  readonly session?: string
  readonly state?: string
  readonly all?: boolean
}

const MOST_AGENTS = 10_000
const MOST_SESSIONS = 10

export async function agents(context: Context, options: AgentOptions): Promise<void> {
  const { output } = context
  const states = statesOf(options.state)
  const found = await withLedger(context, (access) => read(access, options.session, states))
  const trees = sessionTrees(found)
  const shown = options.all ? trees : trees.slice(0, MOST_SESSIONS)
  const lines = [...treeLines(shown, output.paint, Date.now(), output.width)]
  const more = trees.length - shown.length
  if (more > 0)
    lines.push(
      '',
      `${counted(more, 'older session')} ${more === 1 ? 'is' : 'are'} not shown; --all shows ${more === 1 ? 'it' : 'them'}`,
    )
  if (found.length === MOST_AGENTS) lines.push(`Only ${count(MOST_AGENTS)} agents were asked for`)
  if (found.length === 0) lines.push(...nothing(options))
  output.answer(lines, found)
}

/** What is said when nobody is there: what was asked for is named. */
export function nothing({ session, state }: AgentOptions): readonly string[] {
  if (session !== undefined) {
    const who = state === undefined ? 'There is no session' : 'No agent in these states is in session'
    return [`${who} ${oneLine(session)}`, 'See which sessions there are with: panoptes agents --all']
  }
  if (state !== undefined) return ['No agent is in these states', 'Leave --state out to see all of them']
  return ['No agents yet', 'Connect them with: panoptes hooks install claude-code']
}

export function statesOf(text: string | undefined): readonly Agent['state'][] | undefined {
  if (text === undefined) return undefined
  return text.split(',').flatMap((part) => {
    if (part.trim() === '') return []
    const state = check(agentState, part.trim())
    if (state.ok) return [state.value]
    const next = `There are: ${agentState.options.join(', ')}`
    throw new CommandFailure(`${part.trim()} is not a state`, { code: 'usage', next, exit: EXIT.usage })
  })
}

async function read(
  access: Access,
  session: string | undefined,
  states: readonly Agent['state'][] | undefined,
): Promise<readonly Agent[]> {
  if (access.kind === 'file') {
    const found = orFail(await access.ledger.agents({ session, states, limit: MOST_AGENTS }))
    return found.value
  }
  const query = new URLSearchParams({ limit: String(MOST_AGENTS) })
  if (session !== undefined) query.set('session', session)
  if (states) query.set('state', states.join(','))
  return access.client.json<readonly Agent[]>(`/api/agents?${query}`)
}
