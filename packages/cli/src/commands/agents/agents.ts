import { type Agent, agentState, check } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { type Access, withStore } from '../../daemon/access.ts'
import { connectionsOf } from '../../daemon/hooks.ts'
import { CommandFailure, EXIT, orFail } from '../../failure.ts'
import { count, plural } from '../../terminal/format.ts'
import { oneLine } from './format.ts'
import { sessionTrees, treeLines } from './tree.ts'

export interface AgentOptions {
  readonly session?: string
  readonly state?: string
  readonly all?: boolean
}

const MOST_AGENTS = 10_000
const MOST_SESSIONS = 10

export async function agents(context: Context, options: AgentOptions): Promise<void> {
  const { output } = context
  const states = parseStates(options.state)
  const found = await withStore(context, (access) => readAgents(access, options.session, states))
  const trees = sessionTrees(found)
  const shown = options.all ? trees : trees.slice(0, MOST_SESSIONS)
  const lines = [...treeLines(shown, output.paint, Date.now(), output.width)]
  const more = trees.length - shown.length
  if (more > 0)
    lines.push(
      '',
      `${plural(more, 'older session')} ${more === 1 ? 'is' : 'are'} not shown; --all shows ${more === 1 ? 'it' : 'them'}`,
    )
  if (found.length === MOST_AGENTS) lines.push(`Showing at most ${count(MOST_AGENTS)} agents`)
  if (found.length === 0) lines.push(...explainEmptyResult(options, await hasHooks(context)))
  output.answer(lines, found)
}

async function hasHooks(context: Context): Promise<boolean> {
  const { connected, installed } = await connectionsOf(context)
  return connected.length + installed.length > 0
}

/** Explains an empty result and names the filter behind it. */
export function explainEmptyResult(
  { session, state }: AgentOptions,
  areHooksInstalled: boolean,
): readonly string[] {
  if (session !== undefined) {
    const who = state === undefined ? 'No session' : 'No agent in these states in session'
    return [`${who} ${oneLine(session)}`, 'List all sessions: panoptes agents --all']
  }
  if (state !== undefined) return ['No agent is in these states', 'Remove --state to see all agents']
  return [
    'No agents yet',
    areHooksInstalled
      ? 'Start a session in a connected agent'
      : 'Connect one with: panoptes hooks install claude-code',
  ]
}

export function parseStates(text: string | undefined): readonly Agent['state'][] | undefined {
  if (text === undefined) return undefined
  return text.split(',').flatMap((part) => {
    if (part.trim() === '') return []
    const state = check(agentState, part.trim())
    if (state.ok) return [state.value]
    const next = `Choose from: ${agentState.options.join(', ')}`
    throw new CommandFailure(`${part.trim()} is not a state`, { code: 'usage', next, exit: EXIT.usage })
  })
}

async function readAgents(
  access: Access,
  session: string | undefined,
  states: readonly Agent['state'][] | undefined,
): Promise<readonly Agent[]> {
  if (access.kind === 'file') {
    const found = orFail(await access.store.agents({ session, states, limit: MOST_AGENTS }))
    return found.value
  }
  const query = new URLSearchParams({ limit: String(MOST_AGENTS) })
  if (session !== undefined) query.set('session', session)
  if (states) query.set('state', states.join(','))
  return access.client.json<readonly Agent[]>(`/api/agents?${query}`)
}
