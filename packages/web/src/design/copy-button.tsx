import { useEffect, useState } from 'react'
import { words } from '../words.ts'
import { Button, type ButtonKind, IconButton } from './button.tsx'
import { toast } from './toast.tsx'

export async function copyText(text: string, message?: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    if (message !== undefined) toast({ text: message })
    return true
  } catch {
    toast({ text: words.actions.copyFailed, tone: 'failed' })
    return false
  }
}

/** Copies and briefly confirms it in its own place. */
export function CopyButton({
  text,
  label = words.actions.copy,
  iconOnly = false,
  kind = 'plain',
}: {
  readonly text: string
  readonly label?: string
  readonly iconOnly?: boolean
  readonly kind?: ButtonKind
}) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1_600)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = () => void copyText(text).then(setCopied)
  const icon = copied ? 'check' : 'copy'
  if (iconOnly)
    return <IconButton icon={icon} label={copied ? words.actions.copied : label} kind={kind} onClick={copy} />
  return (
    <Button icon={icon} kind={kind} onClick={copy}>
      {copied ? words.actions.copied : label}
    </Button>
  )
}
