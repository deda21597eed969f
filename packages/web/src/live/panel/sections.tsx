import type { Agent } from '@panoptes/schema'
import { isAlive, saysFailed } from '@panoptes/schema/reading'
import { Glyph } from '../../design/glyph.tsx'
import { Share } from '../../design/progress.tsx'
import { describe, eventGlyph } from '../../events/describe.ts'
import * as f from '../../format.ts'
import { useNow } from '../../shell/use-now.ts'
import { words } from '../../words.ts'
import type { Detail } from '../data/source.ts'
import { agentCost, countCalls, tokensIn, tokensOut } from '../model/agent-activity.ts'
import { endedAt } from '../model/visibility.ts'
import { EventLine } from './event-line.tsx'

const w = words.live.panel

export function Figures(props: {
  readonly agent: Agent
  readonly childCount: number | null
  readonly at: number | null
}) {
  const { agent, at } = props
  const now = useNow()
  const alive = isAlive(agent.state)
  const until = alive ? (at ?? now) : endedAt(agent)
  const ran = Math.max(0, until - agent.started_at)
  const input = tokensIn(agent)
  const output = tokensOut(agent)
  const money = agentCost(agent)
  const cached =
    input !== null && input > 0 && agent.usage ? w.cached(agent.usage.cache_read / input) : undefined
  return (
    <dl className="grid grid-cols-[5fr_7fr_4fr] gap-x-3 gap-y-2 px-4 py-3">
      <Fact
        label={alive ? w.running : w.ran}
        value={f.duration(ran < 10_000 ? Math.floor(ran / 1_000) * 1_000 : ran)}
      />
      <Fact label={w.tokensIn} value={input === null ? words.unknown : f.shortCount(input)} note={cached} />
      <Fact label={w.money} value={money === null ? words.unknown : f.money(money)} />
      <Fact
        label={w.calls}
        value={f.count(countCalls(agent))}
        note={agent.errors > 0 ? `✕ ${f.count(agent.errors)}` : undefined}
        bad
      />
      <Fact label={w.tokensOut} value={output === null ? words.unknown : f.shortCount(output)} />
      <Fact
        label={w.children}
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
      <h3 className={headClass}>{w.prompt}</h3>
      <p className="text-12 wrap-anywhere whitespace-pre-wrap">{text ?? words.unknown}</p>
    </section>
  )
}

export function Tools({ tools }: { readonly tools: Detail['tools'] }) {
  const most = Math.max(1, ...tools.map((tool) => tool.calls))
  if (tools.length === 0) return null
  return (
    <section className="px-4 py-3">
      <h3 className={headClass}>{w.tools}</h3>
      <table className="w-full text-12">
        <thead>
          <tr className="text-11 text-text-3">
            <th scope="col" className="text-left font-normal">
              {w.columns.tool}
            </th>
            <td className="w-16" />
            <th scope="col" className="w-12 text-right font-normal">
              {w.columns.calls}
            </th>
            <th scope="col" className="w-12 text-right font-normal">
              {w.columns.failed}
            </th>
            <th scope="col" className="w-16 text-right font-normal">
              {w.columns.p95}
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
      <h3 className={headClass}>{at === null ? w.latest : w.around(f.clock(at))}</h3>
      {newest.length === 0 && <p className="text-12 text-text-3">{w.noLatest}</p>}
      <ol className="flex flex-col">
        {newest.map((event) => (
          <li key={event.seq}>
            <EventLine seq={event.seq}>
              <span className="shrink-0 text-text-3">{f.clock(event.ts)}</span>
              <Glyph name={eventGlyph(event)} size={13} />
              <span className={`min-w-0 truncate ${saysFailed(event) ? 'text-failed' : ''}`}>
                {describe(event) || event.event}
              </span>
            </EventLine>
          </li>
        ))}
      </ol>
    </section>
  )
}
