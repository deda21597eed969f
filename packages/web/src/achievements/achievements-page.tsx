import type { AchievementItem, AchievementsReply } from '@panoptes/schema'
import { clamp } from '@panoptes/schema/numbers'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { lazy, type RefObject, Suspense, useCallback, useRef, useState } from 'react'
import { hasRole, useMe } from '../api/me.ts'
import { Button, buttonClass } from '../design/button.tsx'
import { Empty, NoMatch } from '../design/empty.tsx'
import { Progress } from '../design/progress.tsx'
import { toast } from '../design/toast.tsx'
import { Page } from '../shell/page.tsx'
import { showFailure } from '../shell/show-failure.ts'
import { useKeys } from '../shell/use-keys.ts'
import { useNow } from '../shell/use-now.ts'
import { words } from '../words.ts'
import { AchievementCard } from './card.tsx'
import { isUnreachable } from './error-text.ts'
import { type Change, FilterBar, SourceSwitch, Toolbar } from './filter-bar.tsx'
import { Hero } from './hero.tsx'
import { achievementsQuery, rescan, reset } from './queries.ts'
import { readSearch } from './search-params.ts'
import { choose, latestUnlock, recentUnlocks } from './selectors.ts'
import { AchievementStrips } from './strips.tsx'

const w = words.achievements
const route = getRouteApi('/achievements')
const ShareDialog = lazy(() => import('./share-dialog.tsx'))
const ResetDialog = lazy(() => import('./reset-dialog.tsx'))
/** An achievement is marked as new for this long after it was unlocked. */
const NEW_MS = 24 * 3_600_000

export default function AchievementsPage() {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const view = search.source ?? 'all'
  const query = useQuery({ ...achievementsQuery(view), placeholderData: keepPreviousData })
  const reply = query.data
  const now = useNow(10_000)
  const list = useRef<HTMLUListElement>(null)
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())
  const [dialog, setDialog] = useState<'reset' | { readonly share: string } | null>(null)

  const go = (change: Change) =>
    void navigate({ search: (before) => readSearch({ ...before, ...change }), replace: true })
  const fold = useCallback(
    (id: string) =>
      setOpen((before) =>
        before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id]),
      ),
    [],
  )
  const share = useCallback((id: string) => setDialog({ share: id }), [])
  const me = useMe()
  const [mayRead, mayReset] = [hasRole(me, 'member'), hasRole(me, 'admin')]
  const readAgain = (full: boolean) => rescan(view, full).catch(showFailure)
  const read = (full: boolean) => void readAgain(full)
  const clear = async () => {
    try {
      toast({ text: w.reset.done(await reset(view)) })
    } catch (error) {
      showFailure(error)
    }
  }
  const unlocked = reply ? recentUnlocks(reply.achievements, reply.achievements.length) : []
  const shareOne = (id: string) => unlocked.some((one) => one.id === id) && share(id)
  useCardKeys(list, { fold, share: shareOne, rescan: () => mayRead && read(false) })

  const items = reply ? choose(reply.achievements, search) : []
  return (
    <Page title={w.title} {...(reply && hasCounted(reply) ? { sub: subtitle(reply, now) } : {})}>
      <AchievementStrips
        reply={reply}
        failure={query.error}
        now={now}
        onRetry={() => (isUnreachable(query.error) || !mayRead ? query.refetch() : readAgain(false))}
      />
      {(reply ? !hasCounted(reply) : query.isError) && (
        <div className="px-5 pt-3.5 max-desk:px-4">
          <SourceSwitch search={search} onChange={go} />
        </div>
      )}
      {reply && !hasCounted(reply) && (
        <NothingCounted
          reply={reply}
          failed={query.isError}
          onRead={mayRead ? () => read(false) : undefined}
        />
      )}
      {reply && hasCounted(reply) && (
        <div className="min-h-0 flex-1 overflow-y-auto">
          <div className="flex flex-col gap-3 px-5 py-3.5 max-desk:px-4">
            <Hero reply={reply} now={now} />
            <FilterBar
              items={reply.achievements}
              search={search}
              onChange={go}
              end={
                <Toolbar
                  status={reply.scan_meta.status}
                  refreshes={reply.scan_meta.mode !== 'in_progress'}
                  sort={search.sort ?? 'closest'}
                  onSort={(sort) => go({ sort: sort === 'closest' ? undefined : sort })}
                  onShare={unlocked[0] && (() => share(unlocked[0]?.id ?? ''))}
                  onRescan={mayRead ? read : undefined}
                  onReset={mayReset ? () => setDialog('reset') : undefined}
                />
              }
            />
            {items.length === 0 ? (
              <NoMatch
                {...w.noMatch}
                clear={w.clear}
                onClear={() => go({ category: undefined, state: undefined })}
              />
            ) : (
              <ul
                ref={list}
                aria-label={w.list(items.length)}
                className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,330px),1fr))] items-start gap-3"
              >
                {items.map((item) => (
                  <li key={item.id}>
                    <AchievementCard
                      item={item}
                      view={reply.view}
                      zone={reply.time_zone}
                      isNew={isNew(item, now)}
                      open={open.has(item.id)}
                      onFold={fold}
                      onShare={share}
                    />
                  </li>
                ))}
              </ul>
            )}
          </div>
        </div>
      )}
      <Suspense>
        {dialog === 'reset' && (
          <ResetDialog view={view} onClose={() => setDialog(null)} onConfirm={() => void clear()} />
        )}
        {dialog !== null && dialog !== 'reset' && reply && (
          <ShareDialog
            unlocked={unlocked}
            total={reply.total_count}
            first={dialog.share}
            onClose={() => setDialog(null)}
          />
        )}
      </Suspense>
    </Page>
  )
}

/** Whether anything was counted, even if only some sessions were. */
const hasCounted = ({ scan_meta: meta, unlocked_count: unlocked }: AchievementsReply): boolean =>
  meta.mode !== 'pending' && (meta.sessions_total > 0 || unlocked > 0)

const isNew = (item: AchievementItem, now: number): boolean => now - (latestUnlock(item) ?? 0) < NEW_MS

function subtitle({ scan_meta: meta, generated_at: at }: AchievementsReply, now: number): string {
  const read = meta.sessions_scanned_so_far ?? meta.sessions_total
  return w.sub(read, at > 0 ? w.counted(words.ago(at * 1_000, now)) : null)
}

/** Lets keys move from card to card. */
function useCardKeys(
  list: RefObject<HTMLElement | null>,
  on: {
    readonly fold: (id: string) => void
    readonly rescan: () => void
    readonly share: (id: string) => void
  },
): void {
  const cards = () => [...(list.current?.querySelectorAll<HTMLElement>('[data-card]') ?? [])]
  const selectedView = () => document.activeElement?.closest<HTMLElement>('[data-card]')
  const step = (by: 1 | -1) => () => {
    const all = cards()
    const card = selectedView()
    const at = card ? all.indexOf(card) + by : 0
    all[clamp(at, 0, all.length - 1)]?.focus()
  }
  const onCurrent = (run: (id: string) => void) => () => {
    const id = selectedView()?.dataset.card
    if (id !== undefined) run(id)
  }
  useKeys({ j: step(1), k: step(-1), o: onCurrent(on.fold), s: onCurrent(on.share), r: on.rescan })
}

/** Shown before anything was counted: the progress of the scan, or the button that starts it. */
function NothingCounted(props: {
  readonly reply: AchievementsReply
  readonly failed: boolean
  /** Missing if the person may not start a scan. */
  readonly onRead: (() => void) | undefined
}) {
  const { scan_meta: meta, view } = props.reply
  const runs = meta.status?.state === 'running' && !props.failed
  const looked = meta.mode !== 'pending' && !runs
  return (
    <Empty title={w.empty.title} eye>
      <p className="text-text-2">{w.empty.body}</p>
      {looked && <p className="text-text-2">{view === 'hermes' ? w.empty.noneHermes : w.empty.none}</p>}
      {runs ? (
        <Reading progress={meta.status?.progress ?? null} />
      ) : (
        <div className="flex flex-wrap gap-2 pt-1">
          {props.onRead && (
            <Button kind="main" onClick={props.onRead}>
              {w.empty.action}
            </Button>
          )}
          <Link to="/settings" hash="sources" className={buttonClass('plain')}>
            {w.empty.sources}
          </Link>
        </div>
      )}
    </Empty>
  )
}

function Reading({
  progress,
}: {
  readonly progress: { readonly done: number; readonly total: number } | null
}) {
  const { done, total } = progress ?? { done: 0, total: 0 }
  const message =
    total > 0 ? words.achievements.reading(Math.min(done, total), total) : words.achievements.looking
  return (
    <div role="status" className="flex flex-col gap-2 text-12 text-text-2">
      {message}
      <Progress label={message} done={done} total={total} />
    </div>
  )
}
