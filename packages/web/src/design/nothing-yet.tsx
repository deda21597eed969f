import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { buttonClass } from './button.tsx'
import { Empty } from './empty.tsx'

/** A page that has nothing to show yet, how something comes, and the way to what was found on this computer. */
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
