import type { FoundSource, MeReply } from '@panoptes/schema'
import { hookConnectionWords } from '@panoptes/schema/reading'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { hasRole, useIsTeam, useMe } from '../api/me.ts'
import { growingSourcesQuery } from '../api/queries.ts'
import { buttonClass } from '../design/button.tsx'
import { Command } from '../design/code.tsx'
import { Glyph, type GlyphName, sourceGlyphs } from '../design/glyph.tsx'
import { KeyCap } from '../design/key-cap.tsx'
import { useCommand } from '../shell/use-command.ts'
import { modKey } from '../shell/use-keys.ts'
import { words } from '../words.ts'

const w = words.live.first

/** Shown before the first event: the detected sources, and how agents appear. */
export function FirstRun() {
  const me = useMe()
  const isTeam = useIsTeam()
  if (isTeam === undefined) return null
  return me === null ? <OwnFirstRun /> : <HubFirstRun me={me} />
}

function OwnFirstRun() {
  const command = useCommand()
  const sources = useQuery(growingSourcesQuery).data?.sources ?? []
  const agents = sources.filter((source) => source.kind === 'agent')
  const models = sources.filter((source) => source.kind === 'provider')
  return (
    <FirstCard title={w.title} body={w.body}>
      <Group title={w.sources}>
        {agents.length === 0 && <p className="py-2 text-12 text-text-3">{w.none}</p>}
        <FoundList sources={agents} absent={w.notFound} />
      </Group>
      <Group title={w.hooks}>
        <div className="flex flex-col gap-2 py-2">
          <div>
            <p className="font-semibold">{w.hooksTitle}</p>
            <p className="text-12 text-text-3">{w.hooksBody}</p>
          </div>
          <Command text={w.hooksCommand(command)} />
        </div>
      </Group>
      {models.length > 0 && (
        <Group title={w.models}>
          <FoundList sources={models} absent={w.notSetUp} />
        </Group>
      )}
      <div className="flex flex-col gap-2 border-t border-line pt-4">
        <p className="text-12 text-text-2">{w.demo}</p>
        <Command text={w.demoCommand(command)} />
        <p className="flex items-center justify-end gap-1.5 pt-1 text-11 text-text-3 max-desk:hidden">
          <KeyCap>?</KeyCap> {w.keys}
          <span className="w-1.5" />
          <KeyCap>{modKey}K</KeyCap> {w.anywhere}
        </p>
      </div>
    </FirstCard>
  )
}

/** Found sources one by one, and the missing ones in one line. */
function FoundList({
  sources,
  absent,
}: {
  readonly sources: readonly FoundSource[]
  readonly absent: string
}) {
  const missing = sources.filter((source) => source.state === 'absent')
  return (
    <>
      {sources
        .filter((source) => source.state !== 'absent')
        .map((source) => (
          <Found
            key={source.id}
            glyph={sourceGlyphs[source.state]}
            name={source.name}
            detail={describeHooks(source)}
            retention={words.sessions.retention(source)}
          />
        ))}
      {missing.length > 0 && (
        <Found glyph="unknown" name={missing.map((source) => source.name).join(', ')} detail={absent} />
      )}
    </>
  )
}

/** Reports hooks in the same words as Settings. */
const describeHooks = ({ detail, hooks }: FoundSource): string =>
  hooks === undefined ? detail : `${detail} · ${hookConnectionWords[hooks.connection]}`

function Found(props: {
  readonly glyph: GlyphName
  readonly name: string
  readonly detail: string
  readonly retention?: string | null
}) {
  return (
    <div className="flex items-center gap-3 py-2">
      <Glyph name={props.glyph} />
      <div className="min-w-0 flex-1">
        <p className="font-semibold">{props.name}</p>
        <p className="truncate text-12 text-text-3">{props.detail}</p>
        {props.retention && <p className="text-12 text-text-2">{props.retention}</p>}
      </div>
    </div>
  )
}

/** Shown before the first event of a hub: how computers send theirs. */
function HubFirstRun({ me }: { readonly me: MeReply }) {
  const isAdmin = hasRole(me, 'admin')
  return (
    <FirstCard title={w.hubTitle} body={w.hubBody}>
      <Group title={w.hubToken}>
        <div className="flex items-center gap-3 py-2">
          <p className="min-w-0 flex-1 text-12 text-text-2">{isAdmin ? w.hubTokenAdmin : w.hubTokenOther}</p>
          {isAdmin && (
            <Link to="/settings" hash="team" className={buttonClass()}>
              {w.hubTokenLink}
            </Link>
          )}
        </div>
      </Group>
      <Group title={w.hubForward}>
        <div className="flex flex-col gap-2 py-2">
          <p className="text-12 text-text-2">{w.hubForwardBody}</p>
          <Command text={w.hubForwardCommand(location.origin)} />
          <p className="text-12 text-text-3">{w.hubTranscripts}</p>
        </div>
      </Group>
    </FirstCard>
  )
}

/** The first steps, beside the eye, before there is anything to see. */
function FirstCard(props: { readonly title: string; readonly body: string; readonly children: ReactNode }) {
  return (
    <div className="absolute inset-0 overflow-y-auto">
      <div className="flex min-h-full items-center justify-evenly gap-6 p-6 max-roomy:flex-col max-desk:p-4">
        <BigEye />
        <section className="flex w-full max-w-130 flex-col gap-4 rounded-card border border-line bg-raised p-6 max-desk:p-4">
          <div>
            <h2 className="text-24 font-semibold max-desk:text-18">{props.title}</h2>
            <p className="pt-1.5 text-text-2">{props.body}</p>
          </div>
          {props.children}
        </section>
      </div>
    </div>
  )
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div>
      <h3 className="border-b border-line pb-1 text-11 font-semibold text-text-3">{title}</h3>
      <div className="divide-y divide-line">{children}</div>
    </div>
  )
}

/** The eye at rest, with empty rings. */
function BigEye() {
  return (
    <div className="sticky top-6 flex shrink-0 items-center justify-center max-roomy:hidden">
      <svg width="460" height="460" viewBox="0 0 460 460" aria-hidden="true">
        <g className="fill-none stroke-line">
          <circle cx="230" cy="230" r="70" />
          <circle cx="230" cy="230" r="140" />
          <circle cx="230" cy="230" r="222" />
        </g>
        <g className="fill-canvas stroke-line-strong" strokeDasharray="2 3" strokeWidth="1.5">
          <circle cx="187" cy="97" r="8" />
          <circle cx="118" cy="314" r="8" />
          <circle cx="346" cy="309" r="8" />
          <circle cx="372" cy="60" r="8" />
          <circle cx="246" cy="451" r="8" />
        </g>
        <radialGradient id="rest-glow">
          <stop offset="0.3" stopColor="var(--gold)" stopOpacity="0.4" />
          <stop offset="1" stopColor="var(--gold)" stopOpacity="0" />
        </radialGradient>
        <circle cx="230" cy="230" r="52" fill="url(#rest-glow)" />
        <circle cx="230" cy="230" r="17" className="fill-gold" />
        <circle cx="230" cy="230" r="7" className="fill-gold-ink" />
        <circle cx="232.6" cy="227.4" r="2" className="fill-gold" />
      </svg>
      <p className="absolute top-[calc(50%+30px)] text-12 text-text-2">{words.live.quiet}</p>
    </div>
  )
}
