import type { ReactNode } from 'react'
import { IconButton } from '../design/button.tsx'
import { SidePanel } from '../design/side-panel.tsx'
import { useKeys } from '../shell/use-keys.ts'
import { words } from '../words.ts'

/** The details of a row, beside the table. */
export function RowPanel(props: {
  readonly label: string
  readonly title: ReactNode
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  useKeys({ Escape: props.onClose })
  return (
    <SidePanel label={props.label}>
      <div className="flex shrink-0 items-center gap-2 border-b border-line py-2 pr-2 pl-4">
        <h2 className="min-w-0 flex-1 font-semibold [overflow-wrap:anywhere]">{props.title}</h2>
        <IconButton icon="close" kind="quiet" label={words.actions.close} onClick={props.onClose} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it */}
      <div className="min-h-0 flex-1 divide-y divide-line overflow-y-auto" tabIndex={0}>
        {props.children}
      </div>
    </SidePanel>
  )
}

export function Part(props: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="px-4 py-2.5 text-12">
      <h3 className="pb-1 text-11 font-semibold text-text-3">{props.title}</h3>
      {props.children}
    </section>
  )
}

export function Facts({ facts }: { readonly facts: readonly (readonly [label: string, value: string])[] }) {
  return (
    <dl className="grid grid-cols-3 gap-x-3 gap-y-2 px-4 py-3">
      {facts.map(([label, value]) => (
        <div key={label} className="flex min-w-0 flex-col">
          <dt className="text-11 text-text-3">{label}</dt>
          <dd className="truncate text-15 font-semibold" title={value}>
            {value}
          </dd>
        </div>
      ))}
    </dl>
  )
}
