const BAR = 2
const PITCH = 3
const HEIGHT = 26

/** Small bars, oldest first. `label` says what they show. */
export function Sparkline({
  values,
  label,
  tall = HEIGHT,
}: {
  readonly values: readonly number[]
  readonly label: string
  readonly tall?: number
}) {
  const most = Math.max(1, ...values)
  return (
    <svg
      className="shrink-0 text-bar"
      role="img"
      aria-label={label}
      width={values.length * PITCH}
      height={tall}
      viewBox={`0 0 ${values.length * PITCH} ${tall}`}
    >
      {values.map((value, i) => {
        const height = value > 0 ? Math.max(2, (value / most) * tall) : 1
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is identified by its position
            key={i}
            x={i * PITCH}
            y={tall - height}
            width={BAR}
            height={height}
            rx={height > 2 ? 1 : 0}
            fill="currentColor"
          />
        )
      })}
    </svg>
  )
}
