import type { AchievementItem, AchievementsView } from '@panoptes/schema'
import * as f from '../format.ts'
import { words } from '../words.ts'
import { TierMark } from './badge.tsx'
import { type Evidence, evidenceOf } from './evidence.ts'
import { EvidenceLink } from './evidence-link.tsx'
import { msOf } from './moment.ts'
import { rankOf } from './tiers.ts'

const w = words.achievements

/** What counts for it, when each tier was reached, and where that can be seen. */
export function Criteria(props: {
  readonly item: AchievementItem
  readonly view: AchievementsView
  /** Named where the time of day matters. */
  readonly zone: string | null
}) {
  const { item, zone } = props
  const { tiers, tier_dates: dates, unlocked, unlocked_at: at } = item
  const shown = evidenceOf(item)
  const held = unlocked ? rankOf(item.tier) : -1
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
              {dayOf(dates?.[name])}
            </li>
          ))}
        </ul>
      )}
      {unlocked && tiers === undefined && <p>{w.unlockedOn(dayOf(at))}</p>}
      {shown ? (
        <p>
          {w.evidence[shown.what](amountOf(item, shown))}{' '}
          <EvidenceLink evidence={shown.session} view={props.view} />
        </p>
      ) : (
        unlocked && item.kind === 'lifetime' && <p className="text-text-3">{w.evidenceNone}</p>
      )}
    </section>
  )
}

function dayOf(seconds: number | null | undefined): string {
  const at = msOf(seconds)
  return at === null ? w.dateUnknown : f.day(at, Date.now())
}

/** Of several conditions, how much of the way the session alone would be. */
const amountOf = ({ kind }: AchievementItem, { what, session }: Evidence): string =>
  kind === 'multi_condition' && what !== 'made' ? w.percent(session.value) : f.count(session.value)
