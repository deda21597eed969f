import type { Agent, AgentRequest } from '@panoptes/schema'
import { useState } from 'react'
import { postJson } from '../../api/request.ts'
import { Button } from '../../design/button.tsx'
import { classes } from '../../design/class.ts'
import { CopyButton } from '../../design/copy-button.tsx'
import { StateGlyph } from '../../design/state-glyph.tsx'
import { toast } from '../../design/toast.tsx'
import * as f from '../../format.ts'
import { useNow } from '../../shell/use-now.ts'
import { words } from '../../words.ts'
import type { Detail } from '../data/source.ts'
import { doingNow } from '../model/doing.ts'
import { sinceOf } from '../model/needs-you.ts'
import { endedAt } from '../model/shown.ts'

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
  const request = at === null ? (detail?.request ?? null) : null
  const resume = detail?.resume ?? null
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
      <p className="pt-1 text-12 wrap-anywhere text-text-2">
        {request ? <Asks request={request} /> : reasonOf(agent, detail)}
      </p>
      {(request !== null || (resume !== null && state !== 'working')) && (
        <div className="flex flex-wrap gap-2 pt-2.5">
          {request && <Answer request={request} />}
          {resume !== null && <CopyButton text={resume} label={w.resume} />}
        </div>
      )}
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

function Asks({ request }: { readonly request: AgentRequest }) {
  return (
    <>
      {w.asksTo(request.tool ?? '')}
      {request.input_preview !== null && (
        <>
          {' '}
          <code className="text-11 text-text">{request.input_preview}</code>
        </>
      )}
    </>
  )
}

function Answer({ request }: { readonly request: AgentRequest }) {
  const [sent, setSent] = useState(false)
  const answer = async (choice: 'allow' | 'deny') => {
    setSent(true)
    const path = `/api/agents/${encodeURIComponent(request.session_id)}/${encodeURIComponent(request.agent_id)}/answer`
    try {
      await postJson(path, { request_id: request.request_id, choice })
      toast({ text: w.answered(choice) })
    } catch (error) {
      setSent(false)
      toast({ text: error instanceof Error ? error.message : String(error), tone: 'failed' })
    }
  }
  return (
    <>
      {request.choices.includes('allow') && (
        <Button kind="main" disabled={sent} onClick={() => void answer('allow')}>
          {w.allow}
        </Button>
      )}
      {request.choices.includes('deny') && (
        <Button disabled={sent} onClick={() => void answer('deny')}>
          {w.deny}
        </Button>
      )}
    </>
  )
}
