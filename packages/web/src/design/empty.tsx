import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Button, buttonClass } from './button.tsx'
import { RestingEye } from './eye.tsx'

/** An empty page or list, with what to do about it. */
export function Empty({
  title,
  children,
  eye = false,
  level = 2,
}: {
  readonly title: string
  readonly children: ReactNode
  readonly eye?: boolean
  /** 1 if the page has no other heading. */
  readonly level?: 1 | 2
}) {
  const Heading = level === 1 ? 'h1' : 'h2'
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="flex min-h-full flex-col items-center justify-center gap-6 p-6 max-desk:p-4">
        {eye && <RestingEye />}
        <section className="flex w-full max-w-140 flex-col gap-3 rounded-card border border-line bg-raised p-6">
          <Heading className="text-18 font-semibold">{title}</Heading>
          {children}
        </section>
      </div>
    </div>
  )
}

/** A list whose filters leave nothing. */
export function NoMatch(props: {
  readonly title: string
  readonly body: string
  readonly clear: string
  readonly onClear: () => void
}) {
  return (
    <Empty title={props.title}>
      <p className="text-text-2">{props.body}</p>
      <div>
        <Button kind="main" onClick={props.onClear}>
          {props.clear}
        </Button>
      </div>
    </Empty>
  )
}

/** An empty page: what will appear here, how, and a link to the detected sources. */
export function NothingYet(props: {
  readonly title: string
  readonly sources: string
  readonly children: ReactNode
}) {
  return (
    <Empty title={props.title} eye>
      {props.children}
      <div className="pt-1">
        <Link to="/settings" hash="sources" className={buttonClass('plain')}>
          {props.sources}
        </Link>
      </div>
    </Empty>
  )
}
