import type { Agent } from '@panoptes/schema'
import { isAlive, reportsFailure } from '@panoptes/schema/reading'
import { Link } from '@tanstack/react-router'
import { Glyph } from '../../design/glyph.tsx'
import { Share } from '../../design/progress.tsx'
import { Tag } from '../../design/tag.tsx'
import { describe, eventGlyph } from '../../events/describe.ts'
import * as f from '../../format.ts'
import { useNow } from '../../shell/use-now.ts'
import { words } from '../../words.ts'
import { agentConversation, toSessionKey } from '../data/agent-key.ts'
import type { Detail } from '../data/source.ts'
import { agentCost, countCalls, countInputTokens, countOutputTokens } from '../model/agent-activity.ts'
import { lastClaim, skillLabel } from '../model/markers.ts'
import { endTime } from '../model/visibility.ts'
import { EventLine } from './event-line.tsx'

const w = words.live

export function Figures(props: {
  readonly agent: Agent
  readonly childCount: number | null
  readonly at: number | null
}) {
  const { agent, at } = props
  const now = useNow()
  const alive = isAlive(agent.state)
  const until = alive ? (at ?? now) : endTime(agent)
  const ran = Math.max(0, until - agent.started_at)
  const input = countInputTokens(agent)
  const output = countOutputTokens(agent)
  const money = agentCost(agent)
  const cached =
    input !== null && input > 0 && agent.usage ? w.panel.cached(agent.usage.cache_read / input) : undefined
  return (
    <dl className="grid grid-cols-[5fr_7fr_4fr] gap-x-3 gap-y-2 px-4 py-3">
      <Fact
        label={alive ? w.panel.running : w.panel.ran}
        value={f.duration(ran < 10_000 ? Math.floor(ran / 1_000) * 1_000 : ran)}
      />
      <Fact
        label={w.panel.tokensIn}
        value={input === null ? words.unknown : f.shortCount(input)}
        note={cached}
      />
      <Fact label={w.panel.money} value={money === null ? words.unknown : f.money(money)} />
      <Fact
        label={w.panel.calls}
        value={f.count(countCalls(agent))}
        note={agent.errors > 0 ? `✕ ${f.count(agent.errors)}` : undefined}
        bad
      />
      <Fact label={w.panel.tokensOut} value={output === null ? words.unknown : f.shortCount(output)} />
      <Fact
        label={w.panel.children}
        value={props.childCount === null ? words.unknown : f.count(props.childCount)}
      />
    </dl>
  )
}

function Fact(props: {
  readonly label: string
  readonly value: string
  readonly note?: string | undefined
  readonly bad?: boolean
}) {
  return (
    <div className="min-w-0">
      <dt className="text-11 text-text-3">{props.label}</dt>
      <dd className="text-15 font-semibold whitespace-nowrap">
        {props.value}
        {props.note !== undefined && (
          <span className={`ml-1 text-11 font-normal ${props.bad ? 'text-failed' : 'text-text-3'}`}>
            {props.note}
          </span>
        )}
      </dd>
    </div>
  )
}

const headClass = 'pb-1.5 text-11 font-semibold text-text-3'

export function Prompt({ text }: { readonly text: string | null }) {
  return (
    <section className="px-4 py-3">
      <h3 className={headClass}>{w.panel.prompt}</h3>
      <p className="text-12 wrap-anywhere whitespace-pre-wrap">{text ?? words.unknown}</p>
    </section>
  )
}

export function Tools({ tools }: { readonly tools: Detail['tools'] }) {
  const most = Math.max(1, ...tools.map((tool) => tool.calls))
  if (tools.length === 0) return null
  return (
    <section className="px-4 py-3">
      <h3 className={headClass}>{w.panel.tools}</h3>
      <table className="w-full text-12">
        <thead>
          <tr className="text-11 text-text-3">
            <th scope="col" className="text-left font-normal">
              {w.panel.columns.tool}
            </th>
            <td className="w-16" />
            <th scope="col" className="w-12 text-right font-normal">
              {w.panel.columns.calls}
            </th>
            <th scope="col" className="w-12 text-right font-normal">
              {w.panel.columns.failed}
            </th>
            <th scope="col" className="w-16 text-right font-normal">
              {w.panel.columns.p95}
            </th>
          </tr>
        </thead>
        <tbody>
          {tools.map((tool) => (
            <tr key={tool.tool} className="h-6">
              <td className="max-w-24 truncate" title={tool.tool}>
                {tool.tool}
              </td>
              <td>
                <Share used={tool.calls} limit={most} />
              </td>
              <td className="text-right">{f.count(tool.calls)}</td>
              <td className={`text-right ${tool.errors ? 'text-failed' : 'text-text-3'}`}>
                {tool.errors === null ? words.unknown : tool.errors > 0 ? `✕ ${f.count(tool.errors)}` : '0'}
              </td>
              <td className="text-right text-text-2">
                {tool.p95_ms === null ? words.unknown : f.duration(tool.p95_ms)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

export function Latest({ detail, at }: { readonly detail: Detail; readonly at: number | null }) {
  const newest = [...detail.latest].sort((a, b) => b.seq - a.seq).slice(0, 12)
  return (
    <section className="px-4 py-3">
      <h3 className={headClass}>{at === null ? w.panel.latest : w.panel.around(f.clock(at))}</h3>
      {newest.length === 0 && <p className="text-12 text-text-3">{w.panel.noLatest}</p>}
      <ol className="flex flex-col">
        {newest.map((event) => (
          <li key={event.seq}>
            <EventLine seq={event.seq}>
              <span className="shrink-0 text-text-3">{f.clock(event.ts)}</span>
              <Glyph name={eventGlyph(event)} size={13} />
              <span className={`min-w-0 truncate ${reportsFailure(event) ? 'text-failed' : ''}`}>
                {describe(event) || event.event}
              </span>
            </EventLine>
          </li>
        ))}
      </ol>
    </section>
  )
}

/** The last skill, the last claim and the follow-ups of an agent. */
export function Markers({ agent }: { readonly agent: Agent }) {
  const skill = skillLabel(agent)
  const claim = lastClaim(agent)
  const left = agent.follow_ups ?? 0
  if (skill === null && claim === null && left === 0) return null
  return (
    <section className="px-4 py-3">
      <h3 className="pb-1.5 text-11 font-semibold text-text-3">{w.markers.title}</h3>
      <ul className="flex flex-col gap-1.5 text-12">
        {skill !== null && (
          <li className="flex min-w-0 items-center gap-2">
            <Glyph name={skill.glyph} size={13} />
            <span className="min-w-0 truncate" title={agent.skill?.name}>
              {skill.text}
            </span>
            <span className="ml-auto shrink-0 text-text-3">
              {w.markers.went(agent.skill?.success ?? null)}
            </span>
          </li>
        )}
        {claim !== null && (
          <li className="flex min-w-0 items-center gap-2">
            <ClaimTag tier={claim.tier} value={claim.value} />
            {claim.more > 0 && (
              <span className="ml-auto shrink-0 text-text-3">{w.markers.more(claim.more)}</span>
            )}
          </li>
        )}
        {left > 0 && <li className="text-text-2">{w.markers.followUps(left)}</li>}
      </ul>
    </section>
  )
}

/** A claim, with its tier in a box. */
const ClaimTag = (props: { readonly tier: string; readonly value: string }) => (
  <span className="flex min-w-0 items-center gap-1.5">
    <Tag>{props.tier}</Tag>
    <span className="truncate" title={props.value}>
      {w.markers.quote(props.value)}
    </span>
  </span>
)

export const LedgerLink = ({ agent }: { readonly agent: Agent }) => (
  <div className="flex items-center justify-between px-4 py-3 text-12 text-text-3">
    <span>{w.markers.ledger}</span>
    <Link
      to="/ledger"
      search={{ tab: 'agents', session: toSessionKey(agent), days: 'all' }}
      className="text-text-2 hover:text-text hover:underline"
    >
      {w.markers.openLedger}
    </Link>
  </div>
)

/** Links the conversation in which the agent can be answered. */
export const ChatLink = ({ agent }: { readonly agent: Agent }) => {
  const conversation = agentConversation(agent)
  if (conversation === null) return null
  return (
    <div className="flex items-center justify-between px-4 py-3 text-12 text-text-3">
      <span>{words.nav.chat}</span>
      <Link to="/chat" search={{ c: conversation }} className="text-text-2 hover:text-text hover:underline">
        {words.chat.open}
      </Link>
    </div>
  )
}
