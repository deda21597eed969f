import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react'
import { classes } from './class-names.ts'
import { Icon, type IconName } from './icon.tsx'

export type ButtonKind = 'plain' | 'main' | 'quiet'

const kinds: Record<ButtonKind, string> = {
  plain: 'border border-line-strong bg-raised text-text hover:bg-high',
  main: 'border border-transparent bg-gold text-gold-ink hover:brightness-105',
  quiet: 'border border-transparent text-text-2 hover:bg-high hover:text-text',
}

export const buttonClass = (kind: ButtonKind = 'plain', square = false): string =>
  classes(
    'inline-flex h-7 shrink-0 items-center justify-center gap-1.5 rounded-control text-12 font-medium whitespace-nowrap transition-colors select-none disabled:opacity-50 touch:h-11',
    square ? 'w-7 touch:w-11' : 'px-2.5',
    kinds[kind],
  )

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: ButtonKind
  readonly icon?: IconName
  readonly children: ReactNode
  readonly ref?: Ref<HTMLButtonElement>
}

export function Button({ kind = 'plain', icon, children, className, ...rest }: ButtonProps) {
  return (
    <button type="button" className={classes(buttonClass(kind), className)} {...rest}>
      {icon && <Icon name={icon} size={14} />}
      {children}
    </button>
  )
}

export function IconButton({
  icon,
  label,
  kind = 'plain',
  className,
  ...rest
}: Omit<ButtonProps, 'children' | 'icon'> & { readonly icon: IconName; readonly label: string }) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={classes(buttonClass(kind, true), className)}
      {...rest}
    >
      <Icon name={icon} size={14} />
    </button>
  )
}
