/** Says who goes on, across the messages. */
export function SwitchLine({ children }: { readonly children: string }) {
  return (
    <p className="flex items-center gap-2.5 text-11 text-text-3">
      <span aria-hidden="true" className="h-px flex-1 bg-line" />
      {children}
      <span aria-hidden="true" className="h-px flex-1 bg-line" />
    </p>
  )
}
