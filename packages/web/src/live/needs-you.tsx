import type { Agent, SessionSummary } from '@panoptes/schema'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import { sessionsQuery } from '../api/queries.ts'
import { Glyph } from '../design/glyph.tsx'
import * as f from '../format.ts'
import { useKeys } from '../shell/use-keys.ts'
import { useNow } from '../shell/use-now.ts'
import { useStore } from '../store.ts'
import { pageTail } from '../stream/page-tail.ts'
import { words } from '../words.ts'
import { agentConversation, toAgentKey, toSessionKey } from './data/agent-key.ts'
import { pageAgents } from './data/page-agents.ts'
import { findWaitingAgents, waitingSince } from './model/agent-activity.ts'
import { agentName } from './model/names.ts'

const w = words.live.needs
const MOST = 8

/** Agents that wait or look stuck, the longest first. */
export function useNeedsYou(): readonly Agent[] {
  const { agents } = useStore(pageAgents)
  return useMemo(() => findWaitingAgents(agents), [agents])
}

/** `n` goes to the first and from there to the next. */
export function useNeedsKey(): void {
  const needs = useNeedsYou()
  const navigate = useNavigate()
  useKeys({
    n: () => {
      const open = new URLSearchParams(location.search).get('agent')
      const at = needs.findIndex((agent) => toAgentKey(agent) === open)
      const next = needs[(at + 1) % Math.max(1, needs.length)]
      if (next)
        void navigate({ to: '/', search: (before) => ({ ...pickView(before), agent: toAgentKey(next) }) })
    },
  })
}

const pickView = (search: object): { readonly view?: 'table' } =>
  'view' in search && search.view === 'table' ? { view: 'table' } : {}

/** The list in the rail, on every page. */
export function NeedsYou() {
  const needs = useNeedsYou()
  // Without a connection, another agent may need someone by now.
  const isConnected = useStore(pageTail.state).link === 'connected'
  const isKnown = useStore(pageAgents).phase === 'ready' && isConnected
  const sessions = useQuery({ ...sessionsQuery, enabled: needs.length > 0, refetchInterval: 20_000 }).data
  return (
    <section
      aria-label={isKnown ? w.label(needs.length) : w.title}
      className="mx-2.5 mt-3 hidden min-h-0 flex-col border-t border-line pt-2.5 desk:flex"
    >
      <h2 className="flex items-center justify-between px-2 pb-1 text-11 font-semibold text-text-3 max-wide:justify-center max-wide:px-0">
        <span className="max-wide:sr-only">{w.title}</span>
        {needs.length > 0 && (
          <span className="rounded-tag bg-high px-1.5 text-text">{f.count(needs.length)}</span>
        )}
      </h2>
      {isKnown && needs.length === 0 && <p className="px-2 text-11 text-text-3 max-wide:hidden">{w.none}</p>}
      <ul className="flex min-h-0 flex-col gap-0.5 overflow-y-auto">
        {needs.slice(0, MOST).map((agent) => (
          <NeedsRow key={toAgentKey(agent)} agent={agent} sessions={sessions ?? []} />
        ))}
      </ul>
      {needs.length > MOST && (
        <Link
          to="/"
          search={{ view: 'table' }}
          className="px-2 py-1 text-11 text-text-3 hover:text-text max-wide:hidden"
        >
          {w.more(needs.length - MOST)}
        </Link>
      )}
    </section>
  )
}

function NeedsRow({
  agent,
  sessions,
}: {
  readonly agent: Agent
  readonly sessions: readonly SessionSummary[]
}) {
  const now = useNow()
  const session = sessions.find((one) => toSessionKey(one) === toSessionKey(agent))
  const conversation = agentConversation(agent)
  const name =
    conversation !== null && agent.parent_id === null && agent.subagent_type !== null
      ? words.chat.runtimeName(agent.subagent_type)
      : agentName(agent)
  const why = agent.state === 'waiting' ? w.asks(agent.wait_reason) : (agent.doing?.tool ?? words.live.silent)
  const where = session?.project ?? session?.title ?? agent.session_id.slice(0, 8)
  const ago = shortAge(now - waitingSince(agent))
  return (
    <li>
      <Link
        {...(conversation === null
          ? { to: '/', search: { agent: toAgentKey(agent) } }
          : { to: '/chat', search: { c: conversation } })}
        activeOptions={{ exact: true, includeSearch: true }}
        activeProps={{ className: 'bg-high' }}
        className="flex items-center gap-2 rounded-control px-2 py-1.5 hover:bg-raised max-wide:justify-center"
      >
        <Glyph name={agent.state === 'waiting' ? 'waiting' : 'stuck'} size={14} />
        <span className="min-w-0 flex-1 max-wide:sr-only">
          <span className="flex justify-between gap-2 text-12">
            <span className="truncate font-semibold">{name}</span>
            <span className="sr-only">, {words.live.states[agent.state]}, </span>
            <span className="text-11 text-text-3">{ago}</span>
          </span>
          <span className="block truncate text-11 text-text-3">
            {why} · {where}
          </span>
        </span>
      </Link>
    </li>
  )
}

/** Formats an age as short as possible: 22s, 3m, 2h. */
function shortAge(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`
  return `${Math.floor(seconds / 3_600)}h`
}
