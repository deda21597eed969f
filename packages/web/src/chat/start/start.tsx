import type { RuntimeHealth, SessionSummary } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { useQuery } from '@tanstack/react-query'
import { sessionsQuery } from '../../api/queries.ts'
import { CopyButton } from '../../design/copy-button.tsx'
import { Empty } from '../../design/empty.tsx'
import { Glyph } from '../../design/glyph.tsx'
import { Icon } from '../../design/icon.tsx'
import { words } from '../../words.ts'
import { isReady, runtimeGlyph, runtimeTitle } from '../runtimes.ts'
import { ServerText } from '../server-text.tsx'

const w = words.chat.empty

/** Before the first message: three suggestions, or what to set up. */
export function Start(props: {
  readonly runtimes: readonly RuntimeHealth[]
  readonly areRuntimesLoaded: boolean
  readonly name: string
  readonly onStart: (text: string) => void
}) {
  const { runtimes } = props
  const sessions = useQuery(sessionsQuery).data
  if (props.areRuntimesLoaded && !runtimes.some(isReady)) return <NotReady runtimes={runtimes} />
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex min-h-full max-w-150 flex-col justify-center gap-5 px-6 py-8 max-desk:px-4">
        <div className="flex flex-col gap-1.5">
          <h3 className="text-18 font-semibold">{w.title}</h3>
          <p className="text-text-2">{w.note(props.name)}</p>
        </div>
        <section aria-label={w.starters}>
          <h4 className="pb-1.5 text-11 font-semibold text-text-3">{w.starters}</h4>
          <ul className="flex flex-col gap-1.5">
            {starterQuestions(sessions ?? []).map((text) => (
              <li key={text}>
                <button
                  type="button"
                  className="flex w-full items-center gap-3 rounded-control border border-line bg-raised px-3 py-2 text-left transition-colors hover:border-line-strong hover:bg-high touch:min-h-11"
                  onClick={() => props.onStart(text)}
                >
                  <span className="flex-1">{text}</span>
                  <span className="text-text-3">
                    <Icon name="right" size={14} />
                  </span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      </div>
    </div>
  )
}

function NotReady({ runtimes }: { readonly runtimes: readonly RuntimeHealth[] }) {
  return (
    <Empty title={w.noRuntime} eye>
      <p className="text-text-2">{runtimes.length === 0 ? w.noneFound : w.noRuntimeNote}</p>
      <ul className="flex flex-col gap-2">
        {runtimes.map((one) => (
          <li key={one.id} className="flex gap-2 text-12">
            <span className="pt-0.5">
              <Glyph name={runtimeGlyph(one)} size={14} />
            </span>
            <span className="min-w-0">
              <b className="font-semibold">{runtimeTitle(runtimes, one.id)}</b>{' '}
              <span className="text-text-3">{words.chat.side.states[one.state]}</span>
              {one.detail !== '' && (
                <span className="block wrap-anywhere text-text-2">
                  <ServerText text={one.detail} />
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
      <section aria-label={w.health} className="flex flex-col gap-1">
        <h3 className="text-11 font-semibold text-text-3">{w.health}</h3>
        <p className="text-12 text-text-2">{w.healthNote}</p>
        <div className="relative rounded-control border border-line bg-app">
          <pre
            // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so the keyboard must reach it
            tabIndex={0}
            className="scroll-cue overflow-x-auto rounded-control px-3 py-2 text-12 text-text"
          >
            {CONFIG}
          </pre>
          <span className="absolute top-1 right-1">
            <CopyButton text={CONFIG} iconOnly kind="quiet" />
          </span>
        </div>
      </section>
    </Empty>
  )
}

/** One example per kind, to be added to the existing config. */
const CONFIG = `providers:
  local: { kind: openai, base_url: http://127.0.0.1:11434/v1 }
runtimes:
  default: jarvis
  jarvis: { provider: local, model: name-of-a-model }
  hermes:
    url: http://127.0.0.1:8642
    api_key_env: API_SERVER_KEY
  acp:
    claude:
      command: [npx, "@agentclientprotocol/claude-agent-acp"]
`

/** Suggests three questions about the most recent projects, or general ones if there are none. */
export function starterQuestions(sessions: readonly SessionSummary[]): readonly string[] {
  const latest = [...sessions].sort((a, b) => b.last_at - a.last_at)
  const projects = [
    ...new Set(latest.flatMap(({ project }) => (project ? [toVisibleLine(project, 40)] : []))),
  ]
  if (projects.length === 0) return w.general
  return w.starter.map((ask, i) => ask(projects[i % projects.length] ?? ''))
}
