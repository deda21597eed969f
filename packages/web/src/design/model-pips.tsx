const looks = {
  haiku: { color: 'text-haiku', pips: [[8, 8]] },
  sonnet: {
    color: 'text-sonnet',
    pips: [
      [10.2, 6],
      [5.8, 10],
    ],
  },
  opus: {
    color: 'text-opus',
    pips: [
      [8, 5.2],
      [5.4, 9.8],
      [10.6, 9.8],
    ],
  },
  other: { color: 'text-other', pips: [] },
} as const

/** A model as color and pips; its name is beside it. `main` is the gold eye. */
export function ModelPips({
  model,
  size = 14,
}: {
  readonly model: keyof typeof looks | 'main'
  readonly size?: number
}) {
  if (model === 'main')
    return (
      <svg className="shrink-0" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="8" cy="8" r="7" className="fill-gold" />
        <circle cx="8" cy="8" r="3" className="fill-gold-ink" />
      </svg>
    )
  const { color, pips } = looks[model]
  return (
    <svg className={`shrink-0 ${color}`} width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      {model === 'other' ? (
        <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="2" />
      ) : (
        <circle cx="8" cy="8" r="7" fill="currentColor" />
      )}
      {pips.map(([x, y]) => (
        <circle key={`${x}:${y}`} cx={x} cy={y} r="1.6" className="fill-surface" />
      ))}
    </svg>
  )
}
