/** A short piece of text to type or to find: a path, a command, a name. */
export function Code({ children }: { readonly children: string }) {
  return (
    <code className="rounded-tag box-decoration-clone border border-line bg-app px-1.5 py-0.5 text-11 break-all text-text">
      {children}
    </code>
  )
}
