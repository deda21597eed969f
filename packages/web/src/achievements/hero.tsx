import type { AchievementItem, AchievementsReply, AchievementsView } from '@panoptes/schema'
import type { ReactNode } from 'react'
import { words } from '../words.ts'
import { TierMark } from './badge.tsx'
import { findEvidence, type NamedSession } from './evidence.ts'
import { EvidenceLink } from './evidence-link.tsx'
import { findClosest, highestTier, latestUnlock, recentUnlocks, tierCounts } from './selectors.ts'
import { TIERS, type Tier, tierColor } from './tiers.ts'

const w = words.achievements
const RECENT = 3
const CARD = 'rounded-card border border-line bg-raised'
const RADIUS = 34
const ROUND = 2 * Math.PI * RADIUS
const GAP = 2

/** Overall progress and the most recent unlocks. */
export function Hero({ reply, now }: { readonly reply: AchievementsReply; readonly now: number }) {
  const { achievements: items, unlocked_count: unlocked, total_count: total } = reply
  const tiers = tierCounts(items)
  return (
    <div className="flex gap-3 max-roomy:flex-col">
      <section
        aria-label={w.hero.label}
        className={`${CARD} flex min-w-0 flex-1 flex-wrap items-center gap-x-5 gap-y-3 px-4.5 py-3`}
      >
        <Ring unlocked={unlocked} total={total} tiers={tiers} />
        <div className="min-w-50 flex-1">
          <h2 className="text-18 font-semibold">
            {w.hero.headline(unlocked, reply.discovered_count, reply.secret_count)}
          </h2>
          <Closest items={items} />
          <ul aria-label={w.hero.tiers} className="mt-2 flex flex-wrap gap-x-3.5 gap-y-1 text-11 text-text-2">
            {[...TIERS, null].map((tier) => {
              const count = tiers.get(tier) ?? 0
              if (tier === null && count === 0) return null
              return (
                <li key={tier} className="flex items-center gap-1.5">
                  <TierMark item={{ tier, unlocked: true }} />
                  {tier ?? w.hero.noTier}
                  <b className="font-semibold text-text">{count}</b>
                </li>
              )
            })}
          </ul>
        </div>
        <Stats reply={reply} now={now} />
      </section>
      <Recent items={items} view={reply.view} now={now} />
    </div>
  )
}

function Closest({ items }: { readonly items: readonly AchievementItem[] }) {
  const closest = findClosest(items)
  if (!closest) {
    const isAll = items.length > 0 && items.every(({ unlocked, next_tier }) => unlocked && next_tier === null)
    return isAll && <p className="text-12 text-text-2">{w.hero.allDone}</p>
  }
  const { name, next_tier: tier, next_threshold: next, progress } = closest
  const left = Math.max(0, (next ?? 0) - progress)
  return (
    <p className="text-12 text-text-2">
      {w.hero.closest} <b className="font-semibold text-text">{name}</b>{' '}
      {tier === null ? w.hero.percentToGo(left) : w.hero.toGo(left, tier)}
    </p>
  )
}

function Stats({ reply, now }: { readonly reply: AchievementsReply; readonly now: number }) {
  const { achievements: items } = reply
  const [latest] = recentUnlocks(items, 1)
  const highest = highestTier(items)
  return (
    <dl className="grid grid-cols-[repeat(2,auto)] gap-x-6 gap-y-2 desk:border-l desk:border-line desk:pl-5">
      <StatCard label={w.stats.highest}>
        {highest === null ? (
          w.stats.none
        ) : (
          <span className="flex items-center gap-1.5">
            <TierMark item={{ tier: highest, unlocked: true }} />
            {highest}
          </span>
        )}
      </StatCard>
      <StatCard label={w.stats.discovered}>{reply.discovered_count}</StatCard>
      <StatCard label={w.stats.latest}>
        {latest === undefined ? (
          w.stats.none
        ) : (
          <span className="flex items-baseline gap-1.5">
            <span title={latest.name} className="max-w-32 truncate">
              {latest.name}
            </span>
            <span className="text-11 font-normal whitespace-nowrap text-text-3">
              {words.ago(latestUnlock(latest) ?? now, now)}
            </span>
          </span>
        )}
      </StatCard>
      <StatCard label={w.stats.secret}>{reply.secret_count}</StatCard>
    </dl>
  )
}

function StatCard({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-11 text-text-3">{label}</dt>
      <dd className="font-semibold text-text">{children}</dd>
    </div>
  )
}

function Recent(props: {
  readonly items: readonly AchievementItem[]
  readonly view: AchievementsView
  readonly now: number
}) {
  const { items, view, now } = props
  const recent = recentUnlocks(items, RECENT)
  return (
    <section aria-labelledby="recent-unlocks" className={`${CARD} px-4 py-3 roomy:w-105 roomy:shrink-0`}>
      <h2 id="recent-unlocks" className="text-11 font-semibold text-text-3">
        {w.recent.title}
      </h2>
      {recent.length === 0 && <p className="pt-1 text-12 text-text-2">{w.recent.none}</p>}
      <ul className="flex flex-col gap-1 pt-1">
        {recent.map((item) => (
          <li key={item.id} className="flex items-center gap-2 text-12">
            <TierMark item={item} />
            <span className="truncate font-semibold">{item.name}</span>
            <span className="text-text-2">{item.tier ?? w.states.unlocked}</span>
            <span className="ml-auto flex min-w-0 pl-2 whitespace-pre text-text-3">
              <Where session={findEvidence(item)?.session} view={view} />
              {words.ago(latestUnlock(item) ?? now, now)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Where({
  session,
  view,
}: {
  readonly session: NamedSession | undefined
  readonly view: AchievementsView
}) {
  if (!session) return null
  return (
    <>
      <span className="min-w-0 truncate">
        <EvidenceLink evidence={session} view={view} />
      </span>
      {' · '}
    </>
  )
}

/** Shows the unlocked achievements as a ring, the highest tier first. */
function Ring(props: {
  readonly unlocked: number
  readonly total: number
  readonly tiers: ReadonlyMap<Tier | null, number>
}) {
  const { unlocked, total, tiers } = props
  let begin = 0
  const parts = [...TIERS.toReversed(), null].flatMap((tier) => {
    const length = total === 0 ? 0 : (ROUND * (tiers.get(tier) ?? 0)) / total
    const from = begin
    begin += length
    return length === 0 ? [] : [{ tier, from, length: Math.max(1, length - GAP) }]
  })
  return (
    <svg
      width={84}
      height={84}
      viewBox="0 0 84 84"
      role="img"
      aria-label={w.hero.ring(unlocked, total)}
      className="shrink-0"
    >
      <g fill="none" strokeWidth={8} transform="rotate(-90 42 42)">
        <circle cx={42} cy={42} r={RADIUS} stroke="var(--high)" />
        {parts.map(({ tier, from, length }) => (
          <circle
            key={tier}
            cx={42}
            cy={42}
            r={RADIUS}
            className={tierColor({ tier, unlocked: true })}
            stroke="currentColor"
            strokeDasharray={`${length} ${ROUND}`}
            strokeDashoffset={-from}
          />
        ))}
      </g>
      <text x={42} y={45} textAnchor="middle" className="fill-text text-[20px] font-semibold">
        {unlocked}
      </text>
      <text x={42} y={59} textAnchor="middle" className="fill-text-3 text-11">
        {w.hero.of(total)}
      </text>
    </svg>
  )
}
