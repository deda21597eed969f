import { referenceLetter } from '../format.ts'

/** The letter of a reference in a box. */
export function Letter({ place }: { readonly place: number }) {
  return (
    <span className="inline-block h-4.5 min-w-4.5 shrink-0 rounded-tag bg-high px-1 text-center text-11 leading-[18px] font-semibold text-text">
      {referenceLetter(place)}
    </span>
  )
}
