import type { Agent } from '@panoptes/schema'
import { classes } from '../../design/class-names.ts'
import { CopyButton } from '../../design/copy-button.tsx'
import { StateGlyph } from '../../design/state-glyph.tsx'
import * as f from '../../format.ts'
import { useNow } from '../../shell/use-now.ts'
import { words } from '../../words.ts'
import type { Detail } from '../data/source.ts'
import { doingNow } from '../model/agent-activity.ts'
import { waitingSince } from '../model/needs-you.ts'
import { endedAt } from '../model/visibility.ts'
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

/** The state of an agent, its reason and duration, and what the person can do. */
export function StateCard(props: {
  readonly agent: Agent
  readonly detail: Detail | null
  readonly at: number | null
}) {
  const { agent, detail, at } = props
  const now = useNow()
  const { state } = agent
  const openRequest = at === null ? (detail?.request ?? null) : null
  const request = openRequest !== null && now < openRequest.expires_at ? openRequest : null
  const resume = detail?.resume ?? null
  const copy = resume !== null && <CopyButton text={resume} label={w.resume} />
  return (
    <section
      className={classes('rounded-card border bg-raised px-3 py-2.5', edges[state] ?? 'border-line-strong')}
      aria-label={words.live.stateText(agent)}
    >
      <div className="flex items-center gap-2">
        <StateGlyph state={state} outcome={agent.outcome} />
        <h3 className={classes('font-semibold', inks[state] ?? 'text-text')}>
          {agent.outcome !== null && state === 'done'
            ? words.live.doneAs(agent.outcome)
            : words.live.states[state]}
        </h3>
        <span className="ml-auto text-12 font-semibold">
          {at === null ? stateTime(agent, now) : w.atTime(f.clock(at))}
        </span>
      </div>
      {request ? (
        <Answer key={request.request_id} request={request}>
          {copy}
        </Answer>
      ) : (
        <p className="pt-1 text-12 wrap-anywhere text-text-2">{stateReason(agent, detail)}</p>
      )}
      {!request && copy && state !== 'working' && <div className="flex flex-wrap gap-2 pt-2.5">{copy}</div>}
      {request && <p className="pt-1.5 text-11 text-text-3">{w.answerUntil(f.clock(request.expires_at))}</p>}
    </section>
  )
}

function stateTime(agent: Agent, now: number): string {
  if (agent.state === 'done' || agent.state === 'failed') return f.clock(endedAt(agent))
  const since = agent.state === 'working' ? (agent.doing?.since ?? null) : waitingSince(agent)
  return since === null ? '' : f.duration(Math.max(1_000, Math.floor((now - since) / 1_000) * 1_000))
}

function stateReason(agent: Agent, detail: Detail | null): string {
  if (agent.state === 'waiting') return agent.wait_reason ?? w.noReason
  return doingNow(agent, detail?.children.length ?? 0)
}
