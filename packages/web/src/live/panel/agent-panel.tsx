import type { Agent } from '@panoptes/schema'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import { IconButton } from '../../design/button.tsx'
import { classes } from '../../design/class-names.ts'
import { CopyButton } from '../../design/copy-button.tsx'
import { StateGlyph } from '../../design/glyph.tsx'
import { ModelPips } from '../../design/model-pips.tsx'
import { SidePanel } from '../../design/side-panel.tsx'
import { Strip } from '../../design/strip.tsx'
import * as f from '../../format.ts'
import { useNow } from '../../shell/use-now.ts'
import { words } from '../../words.ts'
import { parseAgentKey, toAgentKey, toSessionKey } from '../data/agent-key.ts'
import type { Detail, PastSource, Scene } from '../data/source.ts'
import { describeActivity, waitingSince } from '../model/agent-activity.ts'
import { sessionHosts } from '../model/filter.ts'
import { agentName, isMain, modelFamily } from '../model/names.ts'
import { endTime } from '../model/visibility.ts'
import { Answer } from './answer.tsx'
import { ChatLink, Figures, Latest, LedgerLink, Markers, Prompt, Tools } from './sections.tsx'

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

/** Everything about one agent: what it does or waits for, its usage and its tool calls. */
export function AgentPanel(props: {
  readonly agentKey: string
  readonly scene: Scene
  readonly source: PastSource
  readonly onClose: () => void
}) {
  const { agentKey, scene, source } = props
  const ref = parseAgentKey(agentKey)
  const sceneAgent = scene.agents.find((agent) => toAgentKey(agent) === agentKey)
  const query = useQuery({
    queryKey: ['agent', source.live, agentKey, scene.at],
    queryFn: ({ signal }) => (ref ? source.detail(ref, scene.at, signal) : null),
    placeholderData: (before, of) => (of?.queryKey[2] === agentKey ? before : undefined),
    gcTime: 30_000,
  })
  const { refetch } = query
  const changed = scene.at === null && sceneAgent ? `${sceneAgent.last_at}:${sceneAgent.state}` : ''
  useEffect(() => {
    if (changed !== '') void refetch()
  }, [changed, refetch])
  const detail = query.data
  const agent = sceneAgent ?? detail?.agent
  const name = agent ? agentName(agent) : (ref?.id ?? '')
  return (
    <SidePanel size="slim" label={w.label(name)}>
      <div className="flex shrink-0 items-center gap-2 pt-3 pr-2 pl-4">
        {agent && <ModelPips model={isMain(agent) ? 'main' : modelFamily(agent.model)} size={16} />}
        <h2 className="min-w-0 truncate text-15 font-semibold">{name}</h2>
        <span className="ml-auto">
          <IconButton icon="close" kind="quiet" label={words.actions.close} onClick={props.onClose} />
        </span>
      </div>
      {query.isError && !detail && (
        <Strip alert glyph="failed">
          {query.error.message}
        </Strip>
      )}
      {detail === null && <p className="px-4 py-2 text-12 text-text-2">{w.gone}</p>}
      {agent && (
        <Body
          detail={detail ? { ...detail, agent } : null}
          agent={agent}
          scene={scene}
          isLive={source.live}
        />
      )}
    </SidePanel>
  )
}

function Body(props: {
  readonly detail: Detail | null
  readonly agent: Detail['agent']
  readonly scene: Scene
  readonly isLive: boolean
}) {
  const { detail, agent, scene } = props
  // Only sessions with a transcript can be opened in Sessions.
  const isWritten = props.isLive && detail?.latest.some(({ via }) => via === 'transcript')
  const project = detail?.session?.project ?? detail?.session?.title ?? agent.session_id.slice(0, 8)
  const path = [project, ...(detail?.path ?? [agent.id])]
  const host = sessionHosts(scene.sessions).get(toSessionKey(agent))
  const facts = [
    w.of(path.map((id) => (id === agent.id ? agentName(agent) : findAgentName(scene, agent, id)))),
    ...(host === undefined ? [] : [w.on(host)]),
    agent.model ?? words.unknown,
    w.started(f.clock(agent.started_at)),
    ...(agent.background ? [w.background] : []),
  ].join(' · ')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <div className="min-h-0 flex-1 divide-y divide-line overflow-y-auto" tabIndex={0}>
      <div className="flex flex-col gap-2.5 px-4 pt-1 pb-3">
        <p className="text-11 text-text-3">{facts}</p>
        <StateCard agent={agent} detail={detail} at={scene.at} />
      </div>
      <Figures agent={agent} childCount={detail?.children.length ?? null} at={scene.at} />
      <Markers agent={agent} />
      <Prompt text={agent.prompt_preview} />
      {detail && <Tools tools={detail.tools} />}
      {detail && <Latest detail={detail} at={scene.at} />}
      <div className="flex items-center justify-between px-4 py-3 text-12 text-text-3">
        <span>{w.transcript}</span>
        {isWritten ? (
          <Link
            to="/sessions"
            search={{ session: toSessionKey(agent) }}
            className="text-text-2 hover:text-text hover:underline"
          >
            {w.openTranscript}
          </Link>
        ) : (
          <span>{words.unknown}</span>
        )}
      </div>
      {props.isLive && <ChatLink agent={agent} />}
      {props.isLive && <LedgerLink agent={agent} />}
    </div>
  )
}

function findAgentName(scene: Scene, of: Detail['agent'], id: string): string {
  const found = scene.agents.find(
    (agent) => agent.id === id && agent.session_id === of.session_id && agent.source === of.source,
  )
  return found ? agentName(found) : id
}

/** The state of an agent, its reason and duration, and what the person can do. */
function StateCard(props: {
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
  if (agent.state === 'done' || agent.state === 'failed') return f.clock(endTime(agent))
  const since = agent.state === 'working' ? (agent.doing?.since ?? null) : waitingSince(agent)
  return since === null ? '' : f.duration(Math.max(1_000, Math.floor((now - since) / 1_000) * 1_000))
}

function stateReason(agent: Agent, detail: Detail | null): string {
  if (agent.state === 'waiting') return agent.wait_reason ?? w.noReason
  return describeActivity(agent, detail?.children.length ?? 0)
}
