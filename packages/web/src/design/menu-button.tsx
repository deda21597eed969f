import { type ReactNode, Suspense, useState } from 'react'

interface MenuButtonProps {
  readonly className: string
  readonly label?: string
  readonly load: () => Promise<unknown>
  /** The open menu, which replaces the button. */
  readonly menu: ReactNode
  readonly children: ReactNode
}

/** The button of a menu. The menu is loaded when someone reaches for it. */
export function MenuButton({ className, label, load, menu, children }: MenuButtonProps) {
  const [isOpen, setOpen] = useState(false)
  const button = (
    <button
      type="button"
      aria-haspopup="menu"
      aria-expanded={isOpen}
      aria-label={label}
      className={className}
      onPointerEnter={() => void load()}
      onFocus={() => void load()}
      onClick={() => setOpen(true)}
    >
      {children}
    </button>
  )
  return isOpen ? <Suspense fallback={button}>{menu}</Suspense> : button
}
