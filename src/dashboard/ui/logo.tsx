export function Logo() {
  return (
    <svg class="mark" viewBox="0 0 48 48" aria-hidden="true">
      <circle cx="32" cy="20" r="9" opacity="0.7" />
      <circle cx="22" cy="34" r="9" opacity="0.5" />
      <circle cx="17" cy="15" r="11" />
    </svg>
  )
}
