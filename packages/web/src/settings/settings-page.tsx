import type { HealthCheck, StatusReply } from '@panoptes/schema'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useIsTeam, useMe } from '../api/me.ts'
import { healthQuery, sourcesQuery, statusQuery } from '../api/queries.ts'
import { classes } from '../design/class-names.ts'
import { CopyButton } from '../design/copy-button.tsx'
import { Glyph } from '../design/glyph.tsx'
import { Icon } from '../design/icon.tsx'
import * as f from '../format.ts'
import { Page } from '../shell/page.tsx'
import { useStore } from '../store.ts'
import { pageTail } from '../stream/page-tail.ts'
import { words } from '../words.ts'
import { AppearanceBlock } from './appearance.tsx'
import { Block, QueryCard } from './block.tsx'
import { BudgetsBlock } from './budgets.tsx'
import { HealthBlock } from './health.tsx'
import { NotificationsBlock } from './notifications.tsx'
import { type SectionId, sections, visibleSections } from './sections.ts'
import { ProvidersBlock, SourcesBlock } from './sources-and-providers.tsx'
import { StorageBlock } from './storage.tsx'
import { TeamBlock } from './team/team.tsx'
import { TokensBlock } from './tokens.tsx'

export default function SettingsPage() {
  const [box, setBox] = useState<HTMLDivElement | null>(null)
  const { current, onScroll, goTo } = useSpy(box)
  const trouble = useTrouble()
  const isTeam = useIsTeam()
  const sub = trouble && {
    sub: words.settings.toFix(countProblems(trouble, 'failed'), countProblems(trouble, 'warned')),
  }
  return (
    <Page title={words.settings.title} {...sub}>
      <div className="mx-auto flex min-h-0 w-full max-w-242 flex-1 px-4 max-desk:flex-col desk:gap-8">
        <SectionList current={current} trouble={trouble ?? {}} onPick={goTo} />
        <div
          ref={setBox}
          onScroll={onScroll}
          className="relative min-h-0 min-w-0 flex-1 overflow-y-auto pt-4 desk:-mr-4 desk:pr-4"
        >
          <div className="max-w-180">
            <SourcesBlock />
            <ProvidersBlock />
            <BudgetsBlock />
            <NotificationsBlock />
            <StorageBlock />
            {isTeam === true && <TeamBlock />}
            {isTeam === false && <TokensBlock />}
            <HealthBlock />
            <AppearanceBlock />
            <AboutBlock />
          </div>
        </div>
      </div>
    </Page>
  )
}

type ProblemsBySection = Readonly<Record<'sources' | 'providers' | 'health', ProblemCount>>

const countProblems = (trouble: ProblemsBySection, kind: keyof ProblemCount): number =>
  Object.values(trouble).reduce((sum, section) => sum + section[kind], 0)

/** Counts failures and warnings per section; undefined while they are unknown, such as after a failed check. */
function useTrouble(): ProblemsBySection | undefined {
  const [found, health] = [useQuery(sourcesQuery), useQuery(healthQuery)]
  const isConnected = useStore(pageTail.state).link === 'connected'
  const sources = found.data?.sources
  const checks = health.data?.checks
  if (!sources || !checks || found.error || health.error || !isConnected) return undefined
  const countUnreadable = (kind: 'agent' | 'provider') => ({
    failed: sources.filter((source) => source.kind === kind && source.state === 'unreadable').length,
    warned: 0,
  })
  const findChecks = (state: HealthCheck['state']) => checks.filter((check) => check.state === state).length
  return {
    sources: countUnreadable('agent'),
    providers: countUnreadable('provider'),
    health: { failed: findChecks('failed'), warned: findChecks('warning') },
  }
}

const w = words.settings.about

function AboutBlock() {
  const query = useQuery({ ...statusQuery, refetchInterval: 5_000 })
  const rows = query.data === undefined ? [] : statusRows(query.data)
  const all = rows.map(([what, value]) => `${what}: ${value}`).join('\n')
  return (
    <Block
      id="about"
      title={w.title}
      {...(rows.length > 0 ? { end: <CopyButton text={all} label={w.copyAll} kind="quiet" /> } : {})}
    >
      <QueryCard query={query} ghosts={2}>
        {() => (
          <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5 py-3 pr-3 pl-4 text-12 desk:pl-11">
            {rows.map(([what, value]) => (
              <div key={what} className="contents">
                <dt className="text-text-3">{what}</dt>
                <dd className="min-w-0 break-all text-text">{value}</dd>
              </div>
            ))}
          </dl>
        )}
      </QueryCard>
    </Block>
  )
}

function statusRows(status: StatusReply): readonly (readonly [string, string])[] {
  return [
    [w.version, status.version],
    [w.address, status.address],
    [w.running, f.duration(status.now - status.started_at)],
    ...(status.pid === undefined ? [] : [[w.process, String(status.pid)] as const]),
    ...(status.home === undefined ? [] : [[w.home, status.home] as const]),
    [w.node, status.node],
    [w.platform, status.platform],
    [w.host, status.host],
  ]
}

/** A section counts as reached when its heading is this close to the top. */
const LINE = 80
const MARGIN = 16

/** Tracks the section in view and scrolls to others. `box` scrolls, and its first child is what grows. */
function useSpy(box: HTMLElement | null): {
  readonly current: SectionId
  readonly onScroll: () => void
  readonly goTo: (id: SectionId) => void
} {
  const [current, setCurrent] = useState<SectionId>('sources')
  /** The requested section stays in view while the ones above it load, until someone scrolls. */
  const pinned = useRef<SectionId | null>(null)
  const hash = useLocation({ select: (location) => location.hash })

  const navigate = useNavigate()

  const show = useCallback(
    (id: SectionId) => {
      pinned.current = id
      setCurrent(id)
      const place = document.getElementById(id)
      // scrollIntoView would also move the page around the box.
      if (box && place)
        box.scrollTop += place.getBoundingClientRect().top - box.getBoundingClientRect().top - MARGIN
    },
    [box],
  )

  useEffect(() => {
    const target = sections.find((section) => section.id === hash)
    if (target && box) show(target.id)
  }, [hash, box, show])

  useEffect(() => {
    const content = box?.firstElementChild
    if (!box || !content) return
    const release = () => {
      pinned.current = null
    }
    const observer = new ResizeObserver(() => pinned.current && show(pinned.current))
    observer.observe(content)
    const kinds = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const
    for (const kind of kinds) box.addEventListener(kind, release, { passive: true })
    return () => {
      observer.disconnect()
      for (const kind of kinds) box.removeEventListener(kind, release)
    }
  }, [box, show])

  const goTo = useCallback(
    (id: SectionId) => {
      show(id)
      void navigate({ to: '/settings', hash: id, hashScrollIntoView: false, replace: true })
    },
    [navigate, show],
  )

  const onScroll = useCallback(() => {
    if (!box || pinned.current) return
    const line = box.getBoundingClientRect().top + LINE
    const reached = sections.filter(({ id }) => {
      const place = document.getElementById(id)
      return place !== null && place.getBoundingClientRect().top <= line
    })
    const atEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - 2
    setCurrent((atEnd ? sections : reached).at(-1)?.id ?? 'sources')
  }, [box])

  return { current, onScroll, goTo }
}

const EDGE = 16

interface ProblemCount {
  /** The number of failures. */
  readonly failed: number
  /** The number of warnings. */
  readonly warned: number
}

const itemClass =
  'flex h-7 shrink-0 items-center justify-between gap-2 rounded-control px-2.5 text-12 whitespace-nowrap transition-colors max-desk:border max-desk:border-line touch:h-11'

/** The list of sections beside the column; on a phone, a line above it. */
function SectionList({
  current,
  trouble,
  onPick,
}: {
  readonly current: SectionId
  readonly trouble: Readonly<Partial<Record<SectionId, ProblemCount>>>
  readonly onPick: (id: SectionId) => void
}) {
  const list = useRef<HTMLElement>(null)
  // On a phone the line is wider than the screen, so the current section is scrolled into view.
  useEffect(() => {
    const item = list.current?.querySelector<HTMLElement>(`[href='#${current}']`)
    if (item) list.current?.scrollTo({ left: item.offsetLeft - EDGE })
  }, [current])
  return (
    <nav
      ref={list}
      aria-label={words.settings.sections}
      className="relative flex gap-1 max-desk:-mx-4 max-desk:overflow-x-auto max-desk:border-b max-desk:border-line max-desk:px-4 max-desk:py-2 desk:w-46 desk:shrink-0 desk:flex-col desk:gap-0.5 desk:py-5"
    >
      {visibleSections(useMe() !== null).map(({ id, title }) => (
        <a
          key={id}
          href={`#${id}`}
          aria-current={id === current ? 'location' : undefined}
          className={classes(
            itemClass,
            id === current
              ? 'bg-high font-semibold text-text'
              : 'text-text-2 hover:bg-raised hover:text-text',
          )}
          onClick={(event) => {
            event.preventDefault()
            onPick(id)
          }}
        >
          {title}
          <TroubleMark {...(trouble[id] ?? NO_TROUBLE)} />
        </a>
      ))}
      <Link
        to="/settings/events"
        className={classes(itemClass, 'text-text-2 hover:bg-raised hover:text-text')}
      >
        {words.settings.events}
        <Icon name="right" size={12} />
      </Link>
    </nav>
  )
}

const NO_TROUBLE: ProblemCount = { failed: 0, warned: 0 }

function TroubleMark({ failed, warned }: ProblemCount) {
  if (failed + warned === 0) return null
  return (
    <span
      className={classes('flex items-center gap-1 font-normal', failed > 0 ? 'text-failed' : 'text-stuck')}
    >
      <Glyph name={failed > 0 ? 'failed' : 'stuck'} size={14} />
      <span className="sr-only">{words.settings.toFix(failed, warned)}</span>
      <span aria-hidden="true">{failed > 0 ? failed : warned}</span>
    </span>
  )
}
