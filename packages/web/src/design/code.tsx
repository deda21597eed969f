import { CopyButton } from './copy-button.tsx'

/** A short piece of text to type or to find: a path, a command, a name. */
export function Code({ children }: { readonly children: string }) {
  return (
    <code className="rounded-tag box-decoration-clone border border-line bg-app px-1.5 py-0.5 text-11 break-all text-text">
      {children}
    </code>
  )
}

/** A command to run, ready to copy. */
export function Command({ text }: { readonly text: string }) {
  return (
    <div className="flex items-center gap-2 rounded-control border border-line bg-app py-1 pr-1 pl-3">
      <code className="min-w-0 flex-1 text-12 wrap-anywhere text-text">{text}</code>
      <CopyButton text={text} iconOnly kind="quiet" />
    </div>
  )
}
