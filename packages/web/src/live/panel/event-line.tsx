import { type ComponentType, createContext, type ReactNode, useContext } from 'react'

export interface EventLineProps {
  readonly seq: number
  readonly className: string
  readonly children: ReactNode
}

/** Links a line to its event; pages without an Events page have no link. */
export const EventLineContext = createContext<ComponentType<EventLineProps> | null>(null)

const className = 'flex h-6 items-center gap-2 rounded-tag text-12 touch:h-11'

export function EventLine({ seq, children }: Omit<EventLineProps, 'className'>) {
  const Leading = useContext(EventLineContext)
  if (!Leading) return <span className={className}>{children}</span>
  return (
    <Leading seq={seq} className={`${className} hover:bg-high`}>
      {children}
    </Leading>
  )
}
