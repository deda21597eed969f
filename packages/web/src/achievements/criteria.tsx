import type { AchievementItem, AchievementsView } from '@panoptes/schema'
import * as f from '../format.ts'
import { words } from '../words.ts'
import { TierMark } from './badge.tsx'
import { type Evidence, findEvidence } from './evidence.ts'
import { EvidenceLink } from './evidence-link.tsx'
import { tierRank } from './tiers.ts'
import { toMilliseconds } from './timestamp.ts'

const w = words.achievements

/** The criteria, when each tier was reached, and the session that proves it. */
export function Criteria(props: {
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
