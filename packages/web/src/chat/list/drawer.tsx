import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode } from 'react'
import { IconButton } from '../../design/button.tsx'
import { words } from '../../words.ts'

/** Shows side content beside the messages if there is room, and over them otherwise. */
export function Drawer(props: {
  readonly title: string
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  return (
    <Base.Root open onOpenChange={(open) => !open && props.onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-shade" />
        <Base.Popup
          initialFocus={false}
          className="fixed inset-y-0 left-0 z-40 flex w-[min(320px,86vw)] flex-col border-r border-line bg-surface shadow-float transition-transform duration-200 starting:-translate-x-full"
        >
          <div className="flex items-center justify-between border-b border-line py-1 pr-1 pl-3">
            <Base.Title className="text-15 font-semibold">{props.title}</Base.Title>
            <IconButton kind="quiet" icon="close" label={words.actions.close} onClick={props.onClose} />
          </div>
          {props.children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}
