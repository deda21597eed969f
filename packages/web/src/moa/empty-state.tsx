import type { PresetsReply } from '@panoptes/schema'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { may, mayDecideForAll, useMe } from '../api/me.ts'
import { sourcesQuery } from '../api/queries.ts'
import { buttonClass } from '../design/button.tsx'
import { CopyButton } from '../design/copy-button.tsx'
import { Empty } from '../design/empty.tsx'
import { Glyph } from '../design/glyph.tsx'
import { oneLine, seen } from '../sessions/visible-text.ts'
import { words } from '../words.ts'
import { askable, suggestedConfig } from './presets/suggestion.ts'
import { TestRun } from './run/test-run.tsx'

const w = words.moa.empty

/** Shown before the first turn: a preset to try, or what is missing and the next step. */
export function NoTurns({
  presets,
  onTry,
}: {
  readonly presets: PresetsReply
  /** Called when a test run becomes visible or disappears. */
  readonly onTry: (isTrying: boolean) => void
}) {
  const usable = presets.presets.filter(({ preset, problems }) => preset.enabled && problems.length === 0)
  const ready = usable.find(({ name }) => name === presets.default_preset) ?? usable[0]
  if (ready) return <Ready preset={ready.name} onTry={onTry} />
  return <NotReady presets={presets} />
}

function Ready(props: { readonly preset: string; readonly onTry: (isTrying: boolean) => void }) {
  const { preset, onTry } = props
  const navigate = useNavigate()
  const me = useMe()
  return (
    <Empty title={w.title} eye>
      <p className="text-text-2">
        {w.ready(oneLine(preset, 60))} {w.anyClient(words.moa.model(oneLine(preset, 60)))}
      </p>
      {may(me, 'member') && (
        <TestRun
          preset={preset}
          isSaved
          isReady
          onRun={onTry}
          onDone={({ id }) => void navigate({ to: '/moa', search: { turn: id } })}
        />
      )}
      <div>
        <Link to="/moa" search={{ tab: 'presets', open: preset }} className={buttonClass('quiet')}>
          {mayDecideForAll(me) ? w.edit : w.look}
        </Link>
      </div>
    </Empty>
  )
}

function NotReady({ presets }: { readonly presets: PresetsReply }) {
  const sources = useQuery(sourcesQuery).data?.sources ?? []
  const mayMake = mayDecideForAll(useMe())
  const found = askable(presets.providers, sources)
  const config = suggestedConfig(found)
  return (
    <Empty title={w.title} eye>
      <p className="text-text-2">{found.length === 0 ? w.noProvider : w.noPreset}</p>
      <section aria-label={w.found} className="flex flex-col gap-1">
        <h3 className="text-11 font-semibold text-text-3">{w.found}</h3>
        {found.length === 0 && <p className="text-12 text-text-3">{w.none}</p>}
        <ul className="flex flex-col gap-1">
          {presets.providers
            .filter(({ name }) => found.includes(name))
            .map((provider) => (
              <li key={provider.name} className="flex items-center gap-2 text-12">
                <Glyph name={provider.from === 'local' || provider.has_key ? 'done' : 'unknown'} size={14} />
                <b className="font-semibold">{oneLine(provider.name, 40)}</b>
                <span className="min-w-0 truncate text-text-3">{providerOrigin(provider)}</span>
              </li>
            ))}
        </ul>
      </section>
      {presets.presets.map(({ name, problems }) => (
        <p key={name} className="text-12 text-stuck">
          {oneLine(name, 40)}: {problems.map((one) => seen(one)).join(' ')}
        </p>
      ))}
      <p className="text-12 text-text-2">{found.length === 0 ? w.nextProvider : w.nextPreset}</p>
      <section aria-label={w.config} className="relative rounded-control border border-line bg-app">
        <pre
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so the keyboard must reach it
          tabIndex={0}
          className="scroll-cue overflow-x-auto rounded-control px-3 py-2 text-12 text-text"
        >
          {config}
        </pre>
        <span className="absolute top-1 right-1">
          <CopyButton text={config} iconOnly kind="quiet" />
        </span>
      </section>
      {found.length > 0 && mayMake && (
        <div>
          <Link to="/moa" search={{ tab: 'presets', make: true }} className={buttonClass('main')}>
            {w.make}
          </Link>
        </div>
      )}
    </Empty>
  )
}

function providerOrigin({ from, key, has_key, base_url }: PresetsReply['providers'][number]): string {
  if (from === 'local') return `${w.providers.local} · ${base_url ?? ''}`
  if (key !== null && has_key) return w.providers.environment(seen(key))
  return [w.providers.config, ...(base_url === null ? [] : [base_url])].join(' · ')
}
