import { Link, useNavigate } from '@tanstack/react-router'
import {
  type FocusEventHandler,
  type KeyboardEventHandler,
  type ReactNode,
  type Ref,
  useCallback,
} from 'react'
import type { Place } from './evidence.ts'

interface PlaceLinkProps {
  readonly place: Place
  readonly children?: ReactNode
  readonly className?: string
  readonly title?: string | undefined
  readonly 'aria-label'?: string
  readonly tabIndex?: number
  readonly style?: { readonly [name: string]: string | number }
  readonly ref?: Ref<HTMLAnchorElement>
  readonly onFocus?: FocusEventHandler
  readonly onBlur?: FocusEventHandler
  readonly onKeyDown?: KeyboardEventHandler
  readonly onMouseEnter?: () => void
  readonly onMouseLeave?: () => void
}

/** A link to a place where something can be looked up. */
export function PlaceLink({ place, ...rest }: PlaceLinkProps) {
  if (place.to === '/sessions') return <Link to="/sessions" search={place.search} {...rest} />
  if (place.to === '/ledger') return <Link to="/ledger" search={place.search} {...rest} />
  if (place.to === '/') return <Link to="/" search={place.search} {...rest} />
  return <Link to="/settings/events" search={place.search} {...rest} />
}

/** The style of a link within a line of text. */
export const linkClass =
  'underline decoration-line-strong underline-offset-3 transition-colors hover:text-text hover:decoration-text-3'

export function useGo(): (place: Place) => void {
  const navigate = useNavigate()
  return useCallback(
    (place) => {
      if (place.to === '/sessions') void navigate({ to: '/sessions', search: place.search })
      else if (place.to === '/ledger') void navigate({ to: '/ledger', search: place.search })
      else if (place.to === '/') void navigate({ to: '/', search: place.search })
      else void navigate({ to: '/settings/events', search: place.search })
    },
    [navigate],
  )
}
