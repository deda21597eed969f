import type { AchievementItem, AchievementsView } from '@panoptes/schema'
import { memo, useId } from 'react'
import { IconButton } from '../design/button.tsx'
import { classes } from '../design/class-names.ts'
import { Icon } from '../design/icon.tsx'
import * as f from '../format.ts'
import { words } from '../words.ts'
import { Badge, TierMark } from './badge.tsx'
import { type Evidence, findEvidence } from './evidence.ts'
import { EvidenceLink } from './evidence-link.tsx'
import { progressShare } from './selectors.ts'
import { tierColor, tierRank } from './tiers.ts'
import { toMilliseconds } from './timestamp.ts'

const w = words.achievements
/** Only visible cards are laid out and painted; the others keep this height until they were. */
const DRAWN = '[content-visibility:auto] [contain-intrinsic-size:auto_110px]'
/** The conditions that depend on the time zone. */
const BY_CLOCK = ['night_sessions', 'weekend_sessions']

export interface CardProps {
  readonly item: AchievementItem
  readonly view: AchievementsView
  readonly zone: string
  readonly isNew: boolean
  readonly open: boolean
  readonly onFold: (id: string) => void
  readonly onShare: (id: string) => void
}

export const AchievementCard = memo(function AchievementCard(props: CardProps) {
  const { item, open, view, zone } = props
  const titleId = useId()
  const part = progressShare(item)
  const shown = findEvidence(item)
  const isByClock = BY_CLOCK.includes(item.threshold_metric ?? '')
  return (
    <article
      aria-labelledby={titleId}
      data-card={item.id}
      tabIndex={-1}
      className={classes(
        'grid min-h-26 grid-cols-[46px_minmax(0,1fr)] content-start gap-3.5 rounded-card border bg-raised pt-3 pr-3 pb-2.5 pl-3.5',
        DRAWN,
        props.isNew ? 'border-gold shadow-[0_0_0_1px_var(--gold)]' : 'border-line',
      )}
    >
      <Badge item={item} />
      <div className="min-w-0">
        <div className="flex h-5 items-center gap-1">
          <h3 id={titleId} className="min-w-0 flex-1 truncate font-semibold" title={item.name}>
            {item.name}
          </h3>
          <span
            className={classes('text-11 whitespace-nowrap', item.unlocked ? 'text-text-2' : 'text-text-3')}
          >
            {standingText(item)}
          </span>
          {item.unlocked && (
            <IconButton
              icon="upload"
              kind="quiet"
              className="-my-1 text-text-3!"
              label={w.ofAchievement(w.actions.share, item.name)}
              onClick={() => props.onShare(item.id)}
            />
          )}
          {item.state !== 'secret' && (
            <IconButton
              icon={open ? 'up' : 'down'}
              kind="quiet"
              className="-my-1 text-text-3!"
              label={w.ofAchievement(w.whatCounts, item.name)}
              aria-expanded={open}
              onClick={() => props.onFold(item.id)}
            />
          )}
        </div>
        <p className="truncate text-12 text-text-2" title={item.description}>
          {item.description}
        </p>
        {item.state === 'secret' ? (
          <p className="pt-1.5 text-11 text-text-3">{item.criteria}</p>
        ) : item.requirements ? (
          <Conditions of={item.requirements} />
        ) : (
          <Way item={item} part={part} />
        )}
        {item.state !== 'secret' && (
          <div className="flex h-5 items-center gap-2 pt-1 text-11 text-text-3">
            <span className="min-w-0 flex-1 truncate">
              {shown && (
                <>
                  {shown.what === 'best' && `${w.bestSoFar} `}
                  <EvidenceLink evidence={shown.session} view={view} />
                  {isByClock && ' · '}
                </>
              )}
              {isByClock && zone}
            </span>
            {item.next_tier !== null ? (
              <span className="whitespace-nowrap">{w.next(item.next_tier)}</span>
            ) : (
              item.tier !== null && <span className="whitespace-nowrap">{w.highestReached}</span>
            )}
          </div>
        )}
      </div>
      {open && <Criteria item={item} view={view} zone={isByClock ? zone : null} />}
    </article>
  )
})

function standingText({ state, tier, unlocked }: AchievementItem): string {
  if (state === 'secret') return w.secret
  return tier ?? (unlocked ? w.states.unlocked : w.notYet)
}

/** Progress to the next tier, as a bar and as numbers. */
function Way({ item, part }: { readonly item: AchievementItem; readonly part: number | null }) {
  const { progress, next_threshold: next, next_tier: tier } = item
  return (
    <div className="flex items-center gap-2 pt-1.5 text-11">
      <div
        role="progressbar"
        aria-label={w.ofAchievement(w.progress(progress, next ?? 0, tier), item.name)}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.floor((part ?? 1) * 100)}
        className="h-1.5 min-w-0 flex-1 overflow-hidden rounded-tag bg-high"
      >
        <div
          className={classes(
            'h-full rounded-tag',
            item.unlocked ? `bg-current ${tierColor(item)}` : 'bg-bar',
          )}
          style={{ width: `${(part ?? 1) * 100}%` }}
        />
      </div>
      <span className="min-w-23 text-right whitespace-nowrap">
        <b className="font-semibold text-text">{f.count(progress)}</b>{' '}
        {part !== null && <span className="text-text-3">{w.of(next ?? 0)}</span>}
      </span>
    </div>
  )
}

/** The progress of each condition. */
function Conditions({ of }: { readonly of: NonNullable<AchievementItem['requirements']> }) {
  return (
    <ul className="flex flex-wrap gap-x-2.5 gap-y-0.5 pt-1 text-11">
      {of.map(({ metric, label, value, gte }) => {
        const isFulfilled = value >= gte
        return (
          <li key={metric} className="flex items-center gap-1 whitespace-nowrap">
            {isFulfilled ? (
              <span className="text-done">
                <Icon name="check" size={11} />
              </span>
            ) : (
              <span aria-hidden className="size-2 rounded-full border border-line-strong" />
            )}
            <span className="sr-only">{isFulfilled ? w.fulfilled : w.unfulfilled}</span>
            <span className="text-text-2">
              {label} <b className="font-semibold text-text">{f.count(value)}</b>
            </span>
            <span className="text-text-3">{w.of(gte)}</span>
          </li>
        )
      })}
    </ul>
  )
}

/** The criteria, when each tier was reached, and the session that proves it. */
function Criteria(props: {
  readonly item: AchievementItem
  readonly view: AchievementsView
  /** Set if the time of day matters. */
  readonly zone: string | null
}) {
  const { item, zone } = props
  const { tiers, tier_dates: dates, unlocked, unlocked_at: at } = item
  const shown = findEvidence(item)
  const held = unlocked ? tierRank(item.tier) : -1
  return (
    <section
      aria-label={w.ofAchievement(w.whatCounts, item.name)}
      className="col-span-2 flex flex-col gap-2 border-t border-line pt-2 text-12 text-text-2"
    >
      <p>
        <b className="font-semibold text-text">{w.whatCounts}</b>: {item.criteria}
      </p>
      {zone !== null && <p>{w.zone(zone)}</p>}
      {tiers !== undefined && held >= 0 && (
        <ul aria-label={w.reached} className="flex flex-wrap gap-x-4 gap-y-1">
          {tiers.slice(0, held + 1).map(({ name }) => (
            <li key={name} className="flex items-center gap-1.5">
              <TierMark item={{ tier: name, unlocked: true }} />
              <span className="text-text">{name}</span>
              {formatDay(dates?.[name])}
            </li>
          ))}
        </ul>
      )}
      {unlocked && tiers === undefined && <p>{w.unlockedOn(formatDay(at))}</p>}
      {shown ? (
        <p>
          {w.evidence[shown.what](formatAmount(item, shown))}{' '}
          <EvidenceLink evidence={shown.session} view={props.view} />
        </p>
      ) : (
        unlocked && item.kind === 'lifetime' && <p className="text-text-3">{w.evidenceNone}</p>
      )}
    </section>
  )
}

function formatDay(seconds: number | null | undefined): string {
  const at = toMilliseconds(seconds)
  return at === null ? w.dateUnknown : f.day(at, Date.now())
}

/** With several conditions, how far this session alone would get. */
const formatAmount = ({ kind }: AchievementItem, { what, session }: Evidence): string =>
  kind === 'multi_condition' && what !== 'made' ? w.percent(session.value) : f.count(session.value)
