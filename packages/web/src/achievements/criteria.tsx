import type { AchievementItem } from '@panoptes/schema'
import * as f from '../format.ts'
import { words } from '../words.ts'
import { TierMark } from './badge.tsx'
import { EvidenceLink } from './evidence-link.tsx'
import { rankOf } from './tiers.ts'

const w = words.achievements

/** What counts for it, when each tier was reached, and where that can be seen. */
export function Criteria(props: {
  readonly item: AchievementItem
  /** Named where the time of day matters. */
  readonly zone: string | null
}) {
  const { item, zone } = props
  const { tiers, tier_dates: dates, unlocked, unlocked_at: at, evidence } = item
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
      {unlocked && tiers === undefined && <p>{w.unlockedOn(dayOf(at ?? undefined))}</p>}
      {unlocked &&
        (evidence ? (
          <p>
            {w.evidence(evidence.value)} <EvidenceLink evidence={evidence} />
          </p>
        ) : (
          item.kind === 'lifetime' && <p className="text-text-3">{w.evidenceNone}</p>
        ))}
    </section>
  )
}

const dayOf = (seconds: number | undefined): string =>
  seconds === undefined ? w.dateUnknown : f.day(seconds * 1_000, Date.now())
