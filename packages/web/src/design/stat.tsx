import type { ReactNode } from 'react'

/** One important number under its name. */
export function Stat({
  label,
  value,
  unit,
}: {
  readonly label: string
  readonly value: string
  readonly unit?: ReactNode
}) {
  return (
    <div className="shrink-0">
      <dt className="text-11 text-text-3">{label}</dt>
      <dd>
        <span className="text-18 font-semibold text-text">{value}</span>
        {unit !== undefined && <span className="ml-1 text-11 text-text-3">{unit}</span>}
      </dd>
    </div>
  )
}
