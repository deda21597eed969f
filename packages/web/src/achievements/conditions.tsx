import type { AchievementItem } from '@panoptes/schema'
import { Icon } from '../design/icon.tsx'
import * as f from '../format.ts'
import { words } from '../words.ts'

const w = words.achievements

/** The progress of each condition. */
export function Conditions({ of }: { readonly of: NonNullable<AchievementItem['requirements']> }) {
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
