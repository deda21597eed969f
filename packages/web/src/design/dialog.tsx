import { Dialog as Base } from '@base-ui/react/dialog'
import type { ReactNode, RefObject } from 'react'
import { words } from '../words.ts'
import { Button, type ButtonKind, IconButton } from './button.tsx'
import { classes } from './class-names.ts'

/** A window over the page. `title` names it; `bare` leaves its inside to the caller. */
export function Dialog({
  open,
  onClose,
  title,
  children,
  bare = false,
  width = 'max-w-120',
  focus,
}: {
  readonly open: boolean
  readonly onClose: () => void
  readonly title: string
  readonly children: ReactNode
  readonly bare?: boolean
  readonly width?: string
  readonly focus?: RefObject<HTMLElement | null>
}) {
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-shade transition-opacity duration-200 data-ending-style:opacity-0 data-starting-style:opacity-0" />
        <Base.Popup
          {...(focus ? { initialFocus: focus } : {})}
          className={classes(
            'float fixed inset-x-3 top-[max(12px,min(96px,10vh))] z-40 mx-auto flex max-h-[calc(100dvh-12px-max(12px,min(96px,10vh)))] flex-col overflow-hidden rounded-card border border-line-strong bg-raised shadow-float desk:max-h-[80vh]',
            width,
          )}
        >
          {bare ? (
            <Base.Title className="sr-only">{title}</Base.Title>
          ) : (
            <div className="flex items-center justify-between gap-3 border-b border-line py-2 pr-2 pl-4">
              <Base.Title className="text-15 font-semibold">{title}</Base.Title>
              <IconButton icon="close" kind="quiet" label={words.actions.close} onClick={onClose} />
            </div>
          )}
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

/** Asks for confirmation before an action that cannot be undone. */
export function Confirm({
  open,
  onClose,
  onConfirm,
  title,
  body,
  action,
  kind = 'main',
}: {
  readonly open: boolean
  readonly onClose: () => void
  readonly onConfirm: () => void
  readonly title: string
  readonly body: string
  readonly action: string
  readonly kind?: ButtonKind
}) {
  return (
    <Dialog open={open} onClose={onClose} title={title} width="max-w-100">
      <p className="px-4 py-3 text-13 text-text-2">{body}</p>
      <div className="flex justify-end gap-2 border-t border-line px-4 py-3">
        <Button kind="quiet" onClick={onClose}>
          {words.actions.cancel}
        </Button>
        <Button
          kind={kind}
          onClick={() => {
            onConfirm()
            onClose()
          }}
        >
          {action}
        </Button>
      </div>
    </Dialog>
  )
}
