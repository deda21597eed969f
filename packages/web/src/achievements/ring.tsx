import { words } from '../words.ts'
import { TIERS, type Tier, tierColor } from './tiers.ts'

const w = words.achievements.hero
const RADIUS = 34
const ROUND = 2 * Math.PI * RADIUS
const GAP = 2

/** Shows the unlocked achievements as a ring, the highest tier first. */
export function Ring(props: {
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
      aria-label={w.ring(unlocked, total)}
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
        {w.of(total)}
      </text>
    </svg>
  )
}
