/** A progress bar. */
export function Progress(props: { readonly label: string; readonly done: number; readonly total: number }) {
  const { label, done, total } = props
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={Math.min(done, total)}
      className={TRACK}
    >
      <div
        className="h-full rounded-tag bg-gold transition-[width] duration-200"
        style={barStyle(done, total)}
      />
    </div>
  )
}

/** Shows how much of a limit is used; the text beside it gives the numbers. */
export function Share({ used, limit }: { readonly used: number; readonly limit: number }) {
  return (
    <div aria-hidden="true" className={TRACK}>
      <div className="h-full rounded-tag bg-bar" style={barStyle(used, limit)} />
    </div>
  )
}

const TRACK = 'h-1.5 w-full overflow-hidden rounded-tag bg-high'

const barStyle = (part: number, whole: number) => ({
  width: `${whole > 0 ? Math.min(1, part / whole) * 100 : 0}%`,
})
