/** The logo: an eye with a gold pupil, and two of those it watches on its ring. */
export function Eye({ size = 22 }: { readonly size?: number }) {
  return (
    <svg className="shrink-0" width={size} height={size} viewBox="0 0 32 32" aria-hidden>
      <circle cx="16" cy="16" r="15" className="fill-high" />
      <path
        d="M6.1 22.4A11.8 11.8 0 0 1 22.4 6.1M25.9 9.6A11.8 11.8 0 0 1 9.6 25.9"
        className="fill-none stroke-text-3"
        strokeWidth="1.6"
        strokeLinecap="round"
      />
      <circle cx="24.3" cy="7.7" r="2.3" className="fill-haiku" />
      <circle cx="7.7" cy="24.3" r="2.3" className="fill-done" />
      <circle cx="16" cy="16" r="7" className="fill-gold" />
      <circle cx="16" cy="16" r="3" className="fill-gold-ink" />
    </svg>
  )
}

/** The same eye at rest, for empty pages. */
export function RestingEye() {
  return (
    <svg className="shrink-0" width="176" height="176" viewBox="0 0 176 176" aria-hidden>
      <g className="fill-none stroke-line">
        <circle cx="88" cy="88" r="34" />
        <circle cx="88" cy="88" r="58" />
        <circle cx="88" cy="88" r="82" strokeDasharray="2 6" />
      </g>
      <g className="fill-surface stroke-line-strong" strokeDasharray="2 3" strokeWidth="1.5">
        <circle cx="129" cy="47" r="6" />
        <circle cx="38" cy="117" r="6" />
        <circle cx="118" cy="104" r="6" />
      </g>
      <circle cx="88" cy="88" r="15" className="fill-gold" />
      <circle cx="88" cy="88" r="6" className="fill-gold-ink" />
      <circle cx="90.5" cy="85.5" r="1.8" className="fill-gold" />
    </svg>
  )
}
