import type { AgentAccount } from '@panoptes/schema'
import { toVisible, toVisibleLine } from '@panoptes/schema/shown'
import { useState } from 'react'
import { Button } from '../design/button.tsx'
import { Glyph } from '../design/glyph.tsx'
import { Share } from '../design/progress.tsx'
import { Tag } from '../design/tag.tsx'
import * as f from '../format.ts'
import { toSessionKey } from '../live/data/agent-key.ts'
import { agentName } from '../live/model/names.ts'
import { words } from '../words.ts'
import { evidencePlace, sessionPlace } from './evidence.ts'
import { costText, countText, outcomeGlyphs, outcomeOrNone, timeText } from './format.ts'
import { Facts, Part, RowPanel } from './panel-parts.tsx'
import { linkClass, PlaceLink, useGo } from './place-link.tsx'
import { type Change, type LedgerSearch, toTab } from './search-params.ts'

const w = words.ledger.agents
const LONGEST = 200
const TOOLS = 8

/** Everything known about an agent's work and claims, with links to the places. */
export function AgentPanel(props: {
  readonly agent: AgentAccount
  readonly search: LedgerSearch
  readonly go: (change: Change) => void
  readonly onClose: () => void
}) {
  const { agent, search } = props
  const open = useGo()
  const name = agentName({
    id: agent.agent_id,
    parent_id: agent.parent_id,
    subagent_type: agent.subagent_type,
  })
  const outcome = outcomeOrNone(agent.outcome)
  const { status } = agent
  const toTranscript = () =>
    agent.said_at?.n != null
      ? open(evidencePlace(agent.said_at))
      : void sessionPlace(agent, agent.last_at).then(open)
  return (
    <RowPanel
      label={w.panel(toVisibleLine(name, LONGEST))}
      title={toVisibleLine(name, LONGEST)}
      onClose={props.onClose}
    >
      <div className="flex flex-col gap-2 px-4 py-2.5 text-12">
        {agent.description !== null && (
          <p className="[overflow-wrap:anywhere]">{toVisible(agent.description)}</p>
        )}
        <p className="flex flex-wrap items-center gap-1.5 text-text-2">
          <Glyph name={outcomeGlyphs[outcome]} size={14} />
          {agent.finished ? words.ledger.outcomes.names[outcome] : w.atWork}
          {agent.stubs !== null && <Tag>{w.stubs(agent.stubs)}</Tag>}
          <Tag>{agent.source}</Tag>
          {agent.project !== null && <Tag>{toVisibleLine(agent.project, LONGEST)}</Tag>}
          {agent.model !== null && <Tag>{toVisibleLine(agent.model, LONGEST)}</Tag>}
        </p>
        <div className="flex flex-wrap gap-2">
          <Button kind="main" onClick={toTranscript}>
            {w.read}
          </Button>
          {search.session === undefined && (
            <Button onClick={() => props.go({ ...toTab(search, 'agents'), session: toSessionKey(agent) })}>
              {w.sessionAgents}
            </Button>
          )}
        </div>
      </div>
      <Facts
        facts={[
          [w.columns.cost, costText(agent)],
          [w.columns.took, timeText(agent.duration_ms)],
          [w.columns.errors, f.count(agent.errors)],
          [w.columns.tokensIn, countText(agent.tokens_in)],
          [w.columns.tokensOut, countText(agent.tokens_out)],
          [w.columns.calls, f.count(agent.tool_use_count)],
          [w.columns.cacheRead, countText(agent.cache_read)],
          [w.columns.cacheWrite, countText(agent.cache_write)],
        ]}
      />
      {agent.flags.length > 0 && (
        <Part title={w.flags}>
          <ul className="flex flex-col gap-1">
            {agent.flags.map((flag) => (
              <li key={`${flag.kind} ${flag.says}`} className="flex gap-1.5">
                <span className="pt-0.5">
                  <Glyph name="failed" size={14} />
                </span>
                <span className="min-w-0">
                  <PlaceLink place={evidencePlace(flag.evidence, agent.last_at)} className={linkClass}>
                    {toVisible(flag.says)}
                  </PlaceLink>
                  {flag.evidence.quote !== null && (
                    <code className="block text-11 [overflow-wrap:anywhere] text-text-3">
                      {toVisibleLine(flag.evidence.quote, LONGEST)}
                    </code>
                  )}
                </span>
              </li>
            ))}
          </ul>
        </Part>
      )}
      {status === null ? (
        <p className="px-4 py-2.5 text-12 text-text-3">{w.noMarker}</p>
      ) : (
        <>
          {status.checks.length > 0 && (
            <Part title={w.checks}>
              <ul>
                {status.checks.map(({ name: check, result }, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a check is identified by its position
                  <li key={i} className="flex justify-between gap-3 [overflow-wrap:anywhere]">
                    <span>{toVisible(check)}</span>
                    <span className="text-text-2">{toVisible(result)}</span>
                  </li>
                ))}
              </ul>
            </Part>
          )}
          {status.behaviour_verified !== null && (
            <Part title={w.verified}>
              <p className="[overflow-wrap:anywhere] text-text-2">{toVisible(status.behaviour_verified)}</p>
            </Part>
          )}
          {status.follow_ups.length > 0 && (
            <Part title={w.followups}>
              <ul className="list-disc pl-4">
                {status.follow_ups.map((text, i) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: a follow-up is identified by its position
                  <li key={i} className="[overflow-wrap:anywhere] text-text-2">
                    {toVisible(text)}
                  </li>
                ))}
              </ul>
            </Part>
          )}
        </>
      )}
      <Tools stats={agent.tool_stats} />
    </RowPanel>
  )
}

function Tools({ stats }: { readonly stats: AgentAccount['tool_stats'] }) {
  const [all, setAll] = useState(false)
  const tools = Object.entries(stats).toSorted(
    ([a, first], [b, second]) => second - first || a.localeCompare(b),
  )
  const most = tools[0]?.[1] ?? 0
  const shown = all ? tools : tools.slice(0, TOOLS)
  const rest = tools.length - shown.length
  return (
    <Part title={w.tools}>
      {tools.length === 0 && <p className="text-text-3">{w.noTools}</p>}
      <ul className="flex flex-col gap-1">
        {shown.map(([tool, calls]) => (
          <li key={tool} className="grid grid-cols-[minmax(0,1fr)_96px_48px] items-center gap-3">
            <span className="truncate">{toVisibleLine(tool, LONGEST)}</span>
            <Share used={calls} limit={most} />
            <span className="text-right">{f.shortCount(calls)}</span>
          </li>
        ))}
      </ul>
      {rest > 0 && (
        <button
          type="button"
          className="pt-1 text-gold-text hover:underline touch:h-11"
          onClick={() => setAll(true)}
        >
          {w.moreTools(rest)}
        </button>
      )}
    </Part>
  )
}
