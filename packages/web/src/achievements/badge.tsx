import type { AchievementItem } from '@panoptes/schema'
import { classes } from '../design/class-names.ts'
import { badgePath, HEXAGON } from './badge-paths.ts'
import { TIERS, tierColor, tierRank } from './tiers.ts'

/** A hexagon with its sign; the dots below are the reached tiers. */
export function Badge({ item }: { readonly item: AchievementItem }) {
  const { unlocked, state, tiers } = item
  const isSecret = state === 'secret'
  return (
    <svg
      className={classes('h-[53px] w-[46px] shrink-0', tierColor(item))}
      viewBox="0 0 50 58"
      fill="none"
      stroke="currentColor"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <path
        d={HEXAGON}
        fill={unlocked ? 'currentColor' : 'none'}
        fillOpacity={0.16}
        strokeWidth={unlocked ? 2 : 1.5}
        {...(isSecret ? { strokeDasharray: '3 3' } : {})}
      />
      <path transform="translate(15 15)" strokeWidth={1.6} d={badgePath(item.icon)} />
      {tiers !== undefined &&
        TIERS.map((tier, i) => {
          const held = i <= tierRank(item.tier)
          return (
            <circle
              key={tier}
              cx={9 + i * 8}
              cy={54}
              r={2.3}
              strokeWidth={1.2}
              {...(held ? { fill: 'currentColor' } : { stroke: 'var(--line-strong)' })}
            />
          )
        })}
    </svg>
  )
}

/** A tier in one small mark; a word beside it names the tier. */
export function TierMark({ item }: { readonly item: Pick<AchievementItem, 'tier' | 'unlocked'> }) {
  return (
    <svg
      className={`shrink-0 ${tierColor(item)}`}
      width={12}
      height={13}
      viewBox="0 0 50 52"
      aria-hidden="true"
    >
      <path d="M25 2 47 14V38L25 50 3 38V14Z" fill="currentColor" />
    </svg>
  )
}
