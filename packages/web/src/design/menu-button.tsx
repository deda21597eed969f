import { type ReactNode, Suspense, useState } from 'react'

interface MenuButtonProps {
  readonly className: string
  readonly label?: string
  readonly load: () => Promise<unknown>
  /** The menu itself, open; it takes the place of the button. */
  readonly menu: ReactNode
  readonly children: ReactNode
}

/** What opens a menu. The menu is loaded when someone reaches for it. */
export function MenuButton({ className, label, load, menu, children }: MenuButtonProps) {
  const [asked, setAsked] = useState(false)
  const button = (
    <button
      type="button"
      aria-haspopup="menu"
      aria-expanded={asked}
      aria-label={label}
      className={className}
      onPointerEnter={() => void load()}
      onFocus={() => void load()}
      onClick={() => setAsked(true)}
    >
      {children}
    </button>
  )
  return asked ? <Suspense fallback={button}>{menu}</Suspense> : button
}
