import type { Agent } from '@panoptes/schema'
import { classes } from '../../design/class.ts'
import { CopyButton } from '../../design/copy-button.tsx'
import { StateGlyph } from '../../design/state-glyph.tsx'
import * as f from '../../format.ts'
import { useNow } from '../../shell/use-now.ts'
import { words } from '../../words.ts'
import type { Detail } from '../data/source.ts'
import { doingNow } from '../model/doing.ts'
import { sinceOf } from '../model/needs-you.ts'
import { endedAt } from '../model/shown.ts'
import { Answer } from './answer.tsx'

const w = words.live.panel

const edges: Partial<Record<Agent['state'], string>> = {
  waiting: 'border-waiting',
  stuck: 'border-stuck',
  failed: 'border-failed',
}
const inks: Partial<Record<Agent['state'], string>> = {
  waiting: 'text-waiting',
  stuck: 'text-stuck',
  failed: 'text-failed',
}

/** What state it is in, why, for how long, and what can be done about it. */
export function StateCard(props: {
  readonly agent: Agent
  readonly detail: Detail | null
  readonly at: number | null
}) {
  const { agent, detail, at } = props
  const now = useNow()
  const { state } = agent
  const asked = at === null ? (detail?.request ?? null) : null
  const request = asked !== null && now < asked.expires_at ? asked : null
  const resume = detail?.resume ?? null
  const copy = resume !== null && <CopyButton text={resume} label={w.resume} />
  return (
    <section
      className={classes('rounded-card border bg-raised px-3 py-2.5', edges[state] ?? 'border-line-strong')}
      aria-label={words.live.states[state]}
    >
      <div className="flex items-center gap-2">
        <StateGlyph state={state} outcome={agent.outcome} />
        <h3 className={classes('font-semibold', inks[state] ?? 'text-text')}>
          {agent.outcome !== null && state === 'done'
            ? words.live.doneAs(agent.outcome)
            : words.live.states[state]}
        </h3>
        <span className="ml-auto text-12 font-semibold">
          {at === null ? timeOf(agent, now) : w.asOf(f.clock(at))}
        </span>
      </div>
      {request ? (
        <Answer key={request.request_id} request={request}>
          {copy}
        </Answer>
      ) : (
        <p className="pt-1 text-12 wrap-anywhere text-text-2">{reasonOf(agent, detail)}</p>
      )}
      {!request && copy && state !== 'working' && <div className="flex flex-wrap gap-2 pt-2.5">{copy}</div>}
      {request && <p className="pt-1.5 text-11 text-text-3">{w.answerUntil(f.clock(request.expires_at))}</p>}
    </section>
  )
}

function timeOf(agent: Agent, now: number): string {
  if (agent.state === 'done' || agent.state === 'failed') return f.clock(endedAt(agent))
  const since = agent.state === 'working' ? (agent.doing?.since ?? null) : sinceOf(agent)
  return since === null ? '' : f.duration(Math.max(1_000, Math.floor((now - since) / 1_000) * 1_000))
}

function reasonOf(agent: Agent, detail: Detail | null): string {
  if (agent.state === 'waiting') return agent.wait_reason ?? w.noReason
  return doingNow(agent, detail?.children.length ?? 0)
}
