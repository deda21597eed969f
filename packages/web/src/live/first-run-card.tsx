import type { ReactNode } from 'react'
import { words } from '../words.ts'

/** The first steps, beside the eye, before there is anything to see. */
export function FirstCard(props: {
  readonly title: string
  readonly body: string
  readonly children: ReactNode
}) {
  return (
    <div className="absolute inset-0 overflow-y-auto">
      <div className="flex min-h-full items-center justify-evenly gap-6 p-6 max-roomy:flex-col max-desk:p-4">
        <BigEye />
        <section className="flex w-full max-w-130 flex-col gap-4 rounded-card border border-line bg-raised p-6 max-desk:p-4">
          <div>
            <h2 className="text-24 font-semibold max-desk:text-18">{props.title}</h2>
            <p className="pt-1.5 text-text-2">{props.body}</p>
          </div>
          {props.children}
        </section>
      </div>
    </div>
  )
}

export function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div>
      <h3 className="border-b border-line pb-1 text-11 font-semibold text-text-3">{title}</h3>
      <div className="divide-y divide-line">{children}</div>
    </div>
  )
}

/** The eye at rest, with empty rings. */
function BigEye() {
  return (
    <div className="sticky top-6 flex shrink-0 items-center justify-center max-roomy:hidden">
      <svg width="460" height="460" viewBox="0 0 460 460" aria-hidden="true">
        <g className="fill-none stroke-line">
          <circle cx="230" cy="230" r="70" />
          <circle cx="230" cy="230" r="140" />
          <circle cx="230" cy="230" r="222" />
        </g>
        <g className="fill-canvas stroke-line-strong" strokeDasharray="2 3" strokeWidth="1.5">
          <circle cx="187" cy="97" r="8" />
          <circle cx="118" cy="314" r="8" />
          <circle cx="346" cy="309" r="8" />
          <circle cx="372" cy="60" r="8" />
          <circle cx="246" cy="451" r="8" />
        </g>
        <radialGradient id="rest-glow">
          <stop offset="0.3" stopColor="var(--gold)" stopOpacity="0.4" />
          <stop offset="1" stopColor="var(--gold)" stopOpacity="0" />
        </radialGradient>
        <circle cx="230" cy="230" r="52" fill="url(#rest-glow)" />
        <circle cx="230" cy="230" r="17" className="fill-gold" />
        <circle cx="230" cy="230" r="7" className="fill-gold-ink" />
        <circle cx="232.6" cy="227.4" r="2" className="fill-gold" />
      </svg>
      <p className="absolute top-[calc(50%+30px)] text-12 text-text-2">{words.live.quiet}</p>
    </div>
  )
}
