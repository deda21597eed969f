import { Menu as Base } from '@base-ui/react/menu'
import type { ReactNode } from 'react'

export const itemClass =
  'flex h-7 cursor-default items-center gap-2 rounded-chip px-2 text-12 text-text-2 outline-none select-none data-highlighted:bg-high data-highlighted:text-text touch:h-11'

interface MenuListProps {
  readonly align: 'start' | 'end'
  readonly className: string
  readonly children: ReactNode
}

/** The list of a menu, over everything else on the page. */
export function MenuList({ align, className, children }: MenuListProps) {
  return (
    <Base.Portal container={document.getElementById('page')}>
      <Base.Positioner
        positionMethod="fixed"
        className="z-40"
        sideOffset={4}
        align={align}
        collisionPadding={8}
      >
        <Base.Popup
          className={`float rounded-control border border-line-strong bg-raised p-1 shadow-float outline-none ${className}`}
        >
          {children}
        </Base.Popup>
      </Base.Positioner>
    </Base.Portal>
  )
}
