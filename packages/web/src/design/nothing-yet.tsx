import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { buttonClass } from './button.tsx'
import { Empty } from './empty.tsx'

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
