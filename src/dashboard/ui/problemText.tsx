/** Problem of a form or a button. The element exists before its text, so that it is announced. */
export function ProblemText({ id, text }: { id?: string; text: string }) {
  return (
    <p {...(id && { id })} class="problem" role="alert">
      {text}
    </p>
  )
}
